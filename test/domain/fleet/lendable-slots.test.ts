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

function lent(change: Partial<HostProbe>, { pool = {}, host = {}, lent: held = [] as string[] } = {}) {
  const fleet = Fleet.parse({
    pools: { p: { slots: 'gpu', ...pool } },
    hosts: [{ name: 'h', pool: 'p', ...host }],
  });
  const [first] = fleet.hosts;
  const poolSpec = fleet.pools.p;
  if (!first || !poolSpec) throw new Error('Expected a host and its pool');
  const { slots, problem, note } = lendableSlots({ pool: poolSpec, host: first, lent: held }, probe(change));
  return { slots: slots.map(({ key }) => key), problem, note };
}

describe('the lendable slots of a host', () => {
  test('are one for each GPU, named by it', () => {
    expect(lent({})).toEqual({ slots: ['GPU-0', 'GPU-1'], problem: null, note: null });
    expect(lent({}, { pool: { perGpu: 2 } }).slots).toEqual(['GPU-0', 'GPU-0.1', 'GPU-1', 'GPU-1.1']);
  });

  test.each(['stranger', 'nameless', 'other'] as const)(
    'exclude a GPU with a process of a %s, with a note, even if a run of ours is on it',
    (whose) => {
      const uses = [use('ours'), use(whose)];
      expect(lent({ uses }, { lent: ['GPU-0'] })).toEqual({
        slots: ['GPU-1'],
        problem: null,
        note: 'in use by others: GPU 0',
      });
    },
  );

  test('include a GPU with a run of ours, whatever slot of it is held', () => {
    expect(lent({ uses: [use('ours')] }, { pool: { perGpu: 2 } })).toMatchObject({ slots: { length: 4 }, note: null });
  });

  test.each(['left', 'astray'] as const)(
    'exclude a GPU with a process of ours that is "%s", without blaming others',
    (whose) => {
      expect(lent({ uses: [use(whose)] }, { lent: ['GPU-0'] })).toMatchObject({
        slots: ['GPU-1'],
        note: 'in use by our own runs that do not hold it or have ended: GPU 0',
      });
    },
  );

  test.each(['setup', 'unseen'] as const)(
    'count a process that is "%s" as ours only while we hold a slot of that GPU',
    (whose) => {
      expect(lent({ uses: [use(whose)] }, { lent: ['GPU-0'] }).slots).toEqual(['GPU-0', 'GPU-1']);
      expect(lent({ uses: [use(whose)] }).slots).toEqual(['GPU-1']);
    },
  );

  test('exclude a GPU that another installation holds, though our own runs use it', () => {
    const found = { held: ['GPU-1'], uses: [use('ours', 'GPU-1')] };
    expect(lent(found, { lent: ['GPU-1'] })).toMatchObject({ slots: ['GPU-0'], note: 'in use by others: GPU 1' });
  });

  test('exclude a missing GPU, while the others keep their slots', () => {
    expect(lent({ gpus: [gpu(1)] }, { host: { gpus: [0, 1] } })).toEqual({
      slots: ['GPU-1'],
      problem: null,
      note: 'the GPUs 0 are missing',
    });
  });

  test('are none if the expected GPUs are missing, with the error of nvidia-smi if it failed', () => {
    expect(lent({ gpus: [] })).toMatchObject({
      slots: [],
      problem: expect.stringMatching(/^expected a GPU; nvidia-smi names none/),
    });
    expect(lent({}, { host: { gpus: [5] } }).problem).toBe(
      'expected the GPUs 5; nvidia-smi names 0 (GPU-0), 1 (GPU-1)',
    );
    expect(lent({ gpus: [], gpuFault: 'nvidia-smi ended with 9:\n no driver' }).problem).toBe(
      'nvidia-smi ended with 9: no driver',
    );
  });

  test('are none in a pool of GPUs if the owners of the processes on them are unknown', () => {
    const found = { gpuFault: 'nvidia-smi ended with 9:\n no apps' };
    const problem = 'the processes on its GPUs are unknown: nvidia-smi ended with 9: no apps';
    expect(lent(found)).toEqual({ slots: [], problem, note: null });
    const note = found.gpuFault.replace('\n', '');
    expect(lent(found, { pool: { slots: 'cpu' } })).toMatchObject({ problem: null, note });
  });

  test('are none if the disk is full', () => {
    expect(lent({ roomMb: 12 })).toMatchObject({ slots: [], problem: expect.stringContaining('found 12; free some') });
    expect(lent({ roomFiles: 9 })).toMatchObject({ slots: [], problem: expect.stringContaining('(inodes), found 9;') });
    expect(lent({ roomFiles: 10_000 }).slots).not.toEqual([]);
  });

  test('are none if the memory is less than that of a slot, and otherwise as many as fit into it', () => {
    const pool = { slots: 'cpu', memoryMb: 3000 };
    expect(lent({}, { pool })).toMatchObject({ slots: ['0', '1'], problem: null });
    expect(lent({ memoryMb: 2900 }, { pool })).toMatchObject({
      slots: [],
      problem: 'expected 3000 MiB of memory for a slot, found 2900',
    });
  });

  test('include the whole host only while none of its GPUs is in use by others', () => {
    const pool = { slots: 'host' };
    expect(lent({}, { pool }).slots).toEqual(['host']);
    expect(lent({ uses: [use('stranger', 'GPU-1')] }, { pool }).slots).toEqual([]);
  });

  test('exclude the whole host if GPUs are missing: timings there would be those of another machine', () => {
    const pool = { slots: 'host' };
    expect(lent({ gpus: [gpu(1)] }, { pool, host: { gpus: [0, 1] } })).toMatchObject({
      slots: [],
      problem: 'expected the GPUs 0, found none with these ids',
    });
    expect(lent({ gpus: [], gpuFault: 'nvidia-smi ended with 9' }, { pool })).toMatchObject({
      slots: [],
      problem: 'nvidia-smi ended with 9',
    });
  });
});

/** A run on these GPUs from second 100 to 200 of its host. By default it was contained, so it left no process. */
const failed = (gpu: string | null, change: Partial<FailedRun> = {}): FailedRun => ({
  gpu,
  began: 100,
  ended: 200,
  contained: true,
  asUs: false,
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
  /** The shortage of the run if a process of that owner began in that second. */
  const beside = (whose: Owner, second: number, change: Partial<FailedRun> = {}): string | null =>
    shortageIn(probe({ uses: [{ ...use(whose), birth: second * 100 }] }), failed('GPU-0', change));

  test.each(['stranger', 'nameless', 'other'] as const)('shared that GPU with a process of a %s', (whose) => {
    for (const second of [1, 150]) expect(beside(whose, second)).toBe('in use by others: GPU 0');
    expect(beside(whose, 201)).toBe(null);
  });

  test.each(['ours', 'setup', 'unseen'] as const)('failed by itself beside a process that is "%s"', (whose) => {
    for (const second of [1, 150]) expect(beside(whose, second)).toBe(null);
  });

  test.each(['nameless', 'other'] as const)(
    'may have left the process, though it is "%s", if the run was not contained and the process is no older',
    (whose) => {
      expect(beside(whose, 99, { contained: false })).toBe('in use by others: GPU 0');
      for (const second of [100, 150]) expect(beside(whose, second, { contained: false })).toBe(null);
      // The start of the run is unknown.
      expect(beside(whose, 1, { contained: false, began: null, ended: null })).toBe(null);
    },
  );

  test('can have left a process of another user only if it ran as our user', () => {
    expect(beside('stranger', 150, { contained: false, asUs: true })).toBe('in use by others: GPU 0');
    expect(beside('stranger', 150, { contained: false, asUs: false })).toBe(null);
  });

  test('lacked nothing if the process is on a GPU that the run was not given, or if only a lock is held', () => {
    expect(shortageIn(probe({ uses: [use('stranger')] }), failed('GPU-1'))).toBe(null);
    expect(shortageIn(probe({ uses: [use('stranger')] }), null)).toBe(null);
    expect(shortageIn(probe({ held: ['GPU-0'] }), failed('GPU-0'))).toBe(null);
  });

  test('blocks only the slot of that GPU, unless its host lacks something as well', () => {
    expect(isInUse(beside('stranger', 1) ?? '')).toBe(true);
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
