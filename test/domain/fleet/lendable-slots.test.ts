import { describe, expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { type FailedRun, type GpuUse, type Owner, parseGpuUses } from '../../../domain/fleet/gpus.ts';
import { isInUse, lendableSlots, shortageIn, type HostProbe } from '../../../domain/fleet/lendable-slots.ts';

const gpu = (index: number) => ({ index, uuid: `GPU-${index}`, name: 'H100', memoryMb: 81_920 });
const use = (whose: Owner, uuid = 'GPU-0'): GpuUse => ({ uuid, pid: 7, birth: 1, whose });
const probe = (change: Partial<HostProbe> = {}): HostProbe => ({
  cores: 8,
  memoryMb: 8000,
  gpus: [gpu(0), gpu(1)],
  uses: [],
  held: [],
  gpuFault: null,
  roomMb: 5000,
  roomFiles: null,
  ...change,
});

/** Slots that a host can lend. `ownGpus`: GPUs of slots that we hold. */
function lendable(change: Partial<HostProbe>, { pool = {}, host = {}, ownGpus = [] as string[] } = {}) {
  const fleet = Fleet.parse({
    pools: { p: { slots: 'gpu', ...pool } },
    hosts: [{ name: 'h', pool: 'p', ...host }],
  });
  const [first] = fleet.hosts;
  const poolSpec = fleet.pools.p;
  if (!first || !poolSpec) throw new Error('Expected a host and its pool');
  const { slots, problem, note } = lendableSlots({ pool: poolSpec, host: first, ownGpus }, probe(change));
  return { slots: slots.map(({ key }) => key), problem, note };
}

describe('the lendable slots of a host', () => {
  test('are one for each GPU, named by it', () => {
    expect(lendable({})).toEqual({ slots: ['GPU-0', 'GPU-1'], problem: null, note: null });
    expect(lendable({}, { pool: { perGpu: 2 } }).slots).toEqual(['GPU-0', 'GPU-0.1', 'GPU-1', 'GPU-1.1']);
  });

  test('exclude a GPU that reports an error, with its words; a whole host then lends nothing', () => {
    const broken = [{ index: 1, uuid: 'GPU-1', message: '[Unknown Error]' }];
    const note = 'GPU 1 reports [Unknown Error]: no slot until nvidia-smi shows no error (reset the GPU, or reboot)';
    const found = { gpus: [gpu(0)], gpusSeen: ['GPU-0', 'GPU-1'], broken };
    expect(lendable(found)).toEqual({ slots: ['GPU-0'], problem: null, note });
    expect(lendable(found, { host: { gpus: [0, 1] } })).toEqual({ slots: ['GPU-0'], problem: null, note });
    expect(lendable({ ...found, gpus: [] })).toEqual({ slots: [], problem: note, note: null });
    expect(lendable(found, { pool: { slots: 'host' } })).toEqual({ slots: [], problem: note, note: null });
    expect(lendable(found, { pool: { slots: 'cpu' } })).toMatchObject({ problem: null, note });
  });

  test.each([
    ['another user', 'stranger'],
    ['our user without a known run', 'nameless'],
    ['another installation', 'other'],
  ] as const)('exclude a GPU with a process of %s, with a note, even if a run of ours is on that GPU', (_, whose) => {
    const uses = [use('ours'), use(whose)];
    expect(lendable({ uses }, { ownGpus: ['GPU-0'] })).toEqual({
      slots: ['GPU-1'],
      problem: null,
      note: 'in use by others: GPU 0',
    });
  });

  test('include a GPU with a run of ours, even if we hold no slot of it', () => {
    const found = lendable({ uses: [use('ours')] }, { pool: { perGpu: 2 } });
    expect(found).toMatchObject({ slots: { length: 4 }, note: null });
  });

  test.each([
    ['is over', 'left'],
    ['was given another GPU', 'astray'],
  ] as const)('exclude a GPU with a process of a run of ours that %s, without blaming others', (_, whose) => {
    expect(lendable({ uses: [use(whose)] }, { ownGpus: ['GPU-0'] })).toMatchObject({
      slots: ['GPU-1'],
      note: 'in use by our own runs that do not hold it or have ended: GPU 0',
    });
  });

  test.each([
    ['of a setup', 'setup'],
    ['that the host hides', 'unseen'],
  ] as const)('count a process %s as ours only while we hold a slot of that GPU', (_, whose) => {
    expect(lendable({ uses: [use(whose)] }, { ownGpus: ['GPU-0'] }).slots).toEqual(['GPU-0', 'GPU-1']);
    expect(lendable({ uses: [use(whose)] }).slots).toEqual(['GPU-1']);
  });

  test('exclude a GPU that another installation holds, though our own runs use it', () => {
    const heldByOthers = { held: ['GPU-1'], uses: [use('ours', 'GPU-1')] };
    expect(lendable(heldByOthers, { ownGpus: ['GPU-1'] })).toMatchObject({
      slots: ['GPU-0'],
      note: 'in use by others: GPU 1',
    });
  });

  test('exclude a missing GPU, while the others keep their slots', () => {
    expect(lendable({ gpus: [gpu(1)] }, { host: { gpus: [0, 1] } })).toEqual({
      slots: ['GPU-1'],
      problem: null,
      note: 'the GPUs 0 are missing',
    });
  });

  test('are none if the expected GPUs are missing, with the error of nvidia-smi if it failed', () => {
    expect(lendable({ gpus: [] })).toMatchObject({
      slots: [],
      problem: expect.stringMatching(/^expected a GPU; nvidia-smi names none/),
    });
    expect(lendable({}, { host: { gpus: [5] } }).problem).toBe(
      'expected the GPUs 5; nvidia-smi names 0 (GPU-0), 1 (GPU-1)',
    );
    expect(lendable({ gpus: [], gpuFault: 'nvidia-smi ended with 9:\n no driver' }).problem).toBe(
      'nvidia-smi ended with 9: no driver',
    );
  });

  test('are none in a pool of GPUs if the owners of the processes on them are unknown', () => {
    const found = { gpuFault: 'nvidia-smi ended with 9:\n no apps' };
    const problem = 'the processes on its GPUs are unknown: nvidia-smi ended with 9: no apps';
    expect(lendable(found)).toEqual({ slots: [], problem, note: null });
    const note = found.gpuFault.replace('\n', '');
    expect(lendable(found, { pool: { slots: 'cpu' } })).toMatchObject({ problem: null, note });
  });

  test('are none if the disk is full', () => {
    expect(lendable({ roomMb: 12 })).toMatchObject({
      slots: [],
      problem: expect.stringContaining('found 12; free some'),
    });
    expect(lendable({ roomFiles: 9 })).toMatchObject({
      slots: [],
      problem: expect.stringContaining('(inodes), found 9;'),
    });
    expect(lendable({ roomFiles: 10_000 }).slots).not.toEqual([]);
  });

  test('are none if the memory is less than that of a slot, and otherwise as many as fit into it', () => {
    const pool = { slots: 'cpu', memoryMb: 3000 };
    expect(lendable({}, { pool })).toMatchObject({ slots: ['0', '1'], problem: null });
    expect(lendable({ memoryMb: 2900 }, { pool })).toMatchObject({
      slots: [],
      problem: 'expected 3000 MiB of memory for a slot, found 2900',
    });
  });

  test('include the whole host only while none of its GPUs is in use by others', () => {
    const pool = { slots: 'host' };
    expect(lendable({}, { pool }).slots).toEqual(['host']);
    expect(lendable({ uses: [use('stranger', 'GPU-1')] }, { pool }).slots).toEqual([]);
  });

  test('exclude the whole host if GPUs are missing: timings there would be those of another machine', () => {
    const pool = { slots: 'host' };
    expect(lendable({ gpus: [gpu(1)] }, { pool, host: { gpus: [0, 1] } })).toMatchObject({
      slots: [],
      problem: 'expected the GPUs 0, found none with these ids',
    });
    expect(lendable({ gpus: [], gpuFault: 'nvidia-smi ended with 9' }, { pool })).toMatchObject({
      slots: [],
      problem: 'nvidia-smi ended with 9',
    });
  });
});

/** A run on GPUs from second 100 to 200 since the boot. By default it was contained, so it left no process. */
const failed = (gpu: string | null, change: Partial<FailedRun> = {}): FailedRun => ({
  gpu,
  began: 100,
  ended: 200,
  contained: true,
  ranAsOurUser: false,
  ...change,
});

test('a failed run lacked disk space or a GPU if the probe shows that, and nothing otherwise', () => {
  expect(shortageIn(probe(), failed('GPU-0,GPU-1'))).toBe(null);
  expect(shortageIn(probe({ roomMb: 3 }), null)).toMatch(/found 3;/);
  expect(shortageIn(probe({ gpus: [gpu(1)] }), failed('GPU-0,GPU-1'))).toBe('the GPU GPU-0 is gone');
  expect(shortageIn(probe({ gpus: [], gpuFault: 'nvidia-smi ended with 9:\n lost' }), failed('GPU-0'))).toBe(
    'nvidia-smi ended with 9: lost',
  );
  expect(shortageIn(probe({ gpus: [], gpuFault: 'nvidia-smi ended with 9' }), failed(null))).toBe(null);
  // The GPU is present: only its users are unknown.
  expect(shortageIn(probe({ gpuFault: 'nvidia-smi ended with 9' }), failed('GPU-0'))).toBe(null);
  expect(shortageIn(undefined, failed('GPU-0'))).toBe(null);
});

describe('a run that failed with another process on its GPU', () => {
  /** Shortage of the run if a process of an owner on its GPU began in a second since the boot. */
  const shortageBeside = (whose: Owner, second: number, change: Partial<FailedRun> = {}): string | null =>
    shortageIn(probe({ uses: [{ ...use(whose), birth: second * 100 }] }), failed('GPU-0', change));

  test.each(['stranger', 'nameless', 'other'] as const)('shared the GPU with a process of owner "%s"', (whose) => {
    for (const second of [1, 150]) expect(shortageBeside(whose, second)).toBe('in use by others: GPU 0');
    expect(shortageBeside(whose, 201)).toBe(null);
  });

  test.each(['ours', 'setup', 'unseen'] as const)('failed by itself beside a process of owner "%s"', (whose) => {
    for (const second of [1, 150]) expect(shortageBeside(whose, second)).toBe(null);
  });

  test.each(['nameless', 'other'] as const)(
    'may itself have left a process of owner "%s" that is no older, if the run was not contained',
    (whose) => {
      expect(shortageBeside(whose, 99, { contained: false })).toBe('in use by others: GPU 0');
      for (const second of [100, 150]) expect(shortageBeside(whose, second, { contained: false })).toBe(null);
      // The start of the run is unknown.
      expect(shortageBeside(whose, 1, { contained: false, began: null, ended: null })).toBe(null);
    },
  );

  test('may have left a process of another user only if it did not run as our user', () => {
    expect(shortageBeside('stranger', 150, { contained: false, ranAsOurUser: true })).toBe('in use by others: GPU 0');
    expect(shortageBeside('stranger', 150, { contained: false, ranAsOurUser: false })).toBe(null);
  });

  test('lacked nothing if the process is on another GPU, or if another installation merely locks the GPU', () => {
    expect(shortageIn(probe({ uses: [use('stranger')] }), failed('GPU-1'))).toBe(null);
    expect(shortageIn(probe({ uses: [use('stranger')] }), null)).toBe(null);
    expect(shortageIn(probe({ held: ['GPU-0'] }), failed('GPU-0'))).toBe(null);
  });

  test('counts as failed for a GPU in use, unless the host also lacks disk space', () => {
    expect(isInUse(shortageBeside('stranger', 1) ?? '')).toBe(true);
    const full = shortageIn(probe({ uses: [use('stranger')], roomMb: 3 }), failed('GPU-0'));
    expect([full, isInUse(full ?? '')]).toEqual([expect.stringMatching(/found 3;/), false]);
  });
});

test('the processes on the GPUs of a host are read line by line, and an unknown owner is a stranger', () => {
  expect(parseGpuUses('GPU-aa, 7, 99, ours\nGPU-bb, 8, 0, unseen\nGPU-cc, 9, 1, new word\nno line, 1\n')).toEqual([
    { uuid: 'GPU-aa', pid: 7, birth: 99, whose: 'ours' },
    { uuid: 'GPU-bb', pid: 8, birth: 0, whose: 'unseen' },
    { uuid: 'GPU-cc', pid: 9, birth: 1, whose: 'stranger' },
  ]);
});
