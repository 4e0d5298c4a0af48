import { describe, expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { type FailedRun, type GpuUse, type Owner, parseGpuUses } from '../../../domain/fleet/gpus.ts';
import { isInUse, lendableSlots, shortageIn, type HostProbe } from '../../../domain/fleet/lendable-slots.ts';

const gpu = (index: number) => ({ index, uuid: `GPU-${index}`, name: 'H100', memoryMb: 81_920 });
const use = (whose: Owner, uuid = 'GPU-0'): GpuUse => ({ uuid, pid: 7, birth: 1, whose });
const look = (of: Partial<HostProbe> = {}): HostProbe => ({
  ...{
    cores: 8,
    memoryMb: 8000,
    gpus: [gpu(0), gpu(1)],
    uses: [],
    held: [],
    gpuFault: null,
    roomMb: 5000,
    roomFiles: null,
  },
  ...of,
});

function lent(of: Partial<HostProbe>, { pool = {}, host = {}, lent: held = [] as string[] } = {}) {
  const fleet = Fleet.parse({
    pools: { p: { slots: 'gpu', ...pool } },
    hosts: [{ name: 'h', pool: 'p', ...host }],
  });
  const [first] = fleet.hosts;
  const poolSpec = fleet.pools.p;
  if (!first || !poolSpec) throw new Error('Expected a host and its pool');
  const { slots, problem, note } = lendableSlots({ pool: poolSpec, host: first, lent: held }, look(of));
  return { slots: slots.map(({ key }) => key), problem, note };
}

describe('what a host can lend', () => {
  test('is a slot for each GPU, named by it', () => {
    expect(lent({})).toEqual({ slots: ['GPU-0', 'GPU-1'], problem: null, note: null });
    expect(lent({}, { pool: { perGpu: 2 } }).slots).toEqual(['GPU-0', 'GPU-0.1', 'GPU-1', 'GPU-1.1']);
  });

  test.each(['stranger', 'nameless', 'other'] as const)(
    'leaves out a GPU on which a process of a %s works, and says so, also where a run of ours is on it',
    (whose) => {
      const uses = [use('ours'), use(whose)];
      expect(lent({ uses }, { lent: ['GPU-0'] })).toEqual({
        ...{ slots: ['GPU-1'], problem: null, note: 'in use by others: GPU 0' },
      });
    },
  );

  test('lends a GPU on which a run of ours works, whatever slot of it is held', () => {
    expect(lent({ uses: [use('ours')] }, { pool: { perGpu: 2 } })).toMatchObject({ slots: { length: 4 }, note: null });
  });

  test.each(['left', 'astray'] as const)(
    'leaves out a GPU with what is %s of ours, and calls that nobody else',
    (whose) => {
      expect(lent({ uses: [use(whose)] }, { lent: ['GPU-0'] })).toMatchObject({
        slots: ['GPU-1'],
        note: 'in use by runs of ours that were not given it, or are over: GPU 0',
      });
    },
  );

  test.each(['setup', 'unseen'] as const)(
    'takes what is %s for ours only while we hold a slot of that GPU',
    (whose) => {
      expect(lent({ uses: [use(whose)] }, { lent: ['GPU-0'] }).slots).toEqual(['GPU-0', 'GPU-1']);
      expect(lent({ uses: [use(whose)] }).slots).toEqual(['GPU-1']);
    },
  );

  test('leaves out a GPU that another installation holds, though our own runs use it', () => {
    const of = { held: ['GPU-1'], uses: [use('ours', 'GPU-1')] };
    expect(lent(of, { lent: ['GPU-1'] })).toMatchObject({ slots: ['GPU-0'], note: 'in use by others: GPU 1' });
  });

  test('leaves out a GPU that fell off, while the others keep their slots', () => {
    expect(lent({ gpus: [gpu(1)] }, { host: { gpus: [0, 1] } })).toEqual({
      slots: ['GPU-1'],
      problem: null,
      note: 'the GPUs 0 are missing',
    });
  });

  test('is nothing where GPUs were promised and none is there, in the words of nvidia-smi if it failed', () => {
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

  test('is nothing of a pool of GPUs where nobody can tell whose processes are on them', () => {
    const of = { gpuFault: 'nvidia-smi ended with 9:\n no apps' };
    const problem = 'cannot tell who uses its GPUs: nvidia-smi ended with 9: no apps';
    expect(lent(of)).toEqual({ slots: [], problem, note: null });
    expect(lent(of, { pool: { slots: 'cpu' } })).toMatchObject({ problem: null, note: of.gpuFault.replace('\n', '') });
  });

  test('is nothing where the disk is full', () => {
    expect(lent({ roomMb: 12 })).toMatchObject({ slots: [], problem: expect.stringContaining('found 12; free some') });
    expect(lent({ roomFiles: 9 })).toMatchObject({ slots: [], problem: expect.stringContaining('(inodes), found 9;') });
    expect(lent({ roomFiles: 10_000 }).slots).not.toEqual([]);
  });

  test('is nothing where the memory is less than a slot has, and else no more than there is memory for', () => {
    const pool = { slots: 'cpu', memoryMb: 3000 };
    expect(lent({}, { pool })).toMatchObject({ slots: ['0', '1'], problem: null });
    expect(lent({ memoryMb: 2900 }, { pool })).toMatchObject({
      slots: [],
      problem: 'expected 3000 MiB of memory for a slot, found 2900',
    });
  });

  test('is a whole host to itself only while none of its GPUs is in use by others', () => {
    const pool = { slots: 'host' };
    expect(lent({}, { pool }).slots).toEqual(['host']);
    expect(lent({ uses: [use('stranger', 'GPU-1')] }, { pool }).slots).toEqual([]);
  });

  test('is no whole host where GPUs of it are gone: what is timed there would be another machine', () => {
    const pool = { slots: 'host' };
    expect(lent({ gpus: [gpu(1)] }, { pool, host: { gpus: [0, 1] } })).toMatchObject({
      slots: [],
      problem: 'expected the GPUs 0, found none of that name',
    });
    expect(lent({ gpus: [], gpuFault: 'nvidia-smi ended with 9' }, { pool })).toMatchObject({
      slots: [],
      problem: 'nvidia-smi ended with 9',
    });
  });
});

/** A run on these GPUs from second 100 to 200 of its host, of which nothing can be left unless that is said. */
const failed = (gpu: string | null, of: Partial<FailedRun> = {}): FailedRun => ({
  ...{ gpu, began: 100, ended: 200, contained: true, asUs: false },
  ...of,
});

test('a run that failed lacked room, or a GPU that is gone, where a look shows that; else nothing', () => {
  expect(shortageIn(look(), failed('GPU-0,GPU-1'))).toBe(null);
  expect(shortageIn(look({ roomMb: 3 }), null)).toMatch(/found 3;/);
  expect(shortageIn(look({ gpus: [gpu(1)] }), failed('GPU-0,GPU-1'))).toBe('the GPU GPU-0 is gone');
  expect(shortageIn(look({ gpus: [], gpuFault: 'nvidia-smi ended with 9:\n lost' }), failed('GPU-0'))).toBe(
    'nvidia-smi ended with 9: lost',
  );
  expect(shortageIn(look({ gpus: [], gpuFault: 'nvidia-smi ended with 9' }), failed(null))).toBe(null);
  // The GPU is there: only who uses it is not known.
  expect(shortageIn(look({ gpuFault: 'nvidia-smi ended with 9' }), failed('GPU-0'))).toBe(null);
  expect(shortageIn(undefined, failed('GPU-0'))).toBe(null);
});

describe('a run that failed with a process of somebody on its GPU', () => {
  /** What it lacked, where the process of that owner began in that second. */
  const beside = (whose: Owner, second: number, of: Partial<FailedRun> = {}): string | null =>
    shortageIn(look({ uses: [{ ...use(whose), birth: second * 100 }] }), failed('GPU-0', of));

  test.each(['stranger', 'nameless', 'other'] as const)('lacked that GPU for itself where it is of a %s', (whose) => {
    for (const second of [1, 150]) expect(beside(whose, second)).toBe('in use by others: GPU 0');
    expect(beside(whose, 201)).toBe(null);
  });

  test.each(['ours', 'setup', 'unseen'] as const)('failed by itself where it is %s', (whose) => {
    for (const second of [1, 150]) expect(beside(whose, second)).toBe(null);
  });

  test.each(['nameless', 'other'] as const)(
    'may have left it there, though it is %s, where something could outlive the run and this one is no older',
    (whose) => {
      expect(beside(whose, 99, { contained: false })).toBe('in use by others: GPU 0');
      for (const second of [100, 150]) expect(beside(whose, second, { contained: false })).toBe(null);
      // Nobody knows when it began.
      expect(beside(whose, 1, { contained: false, began: null, ended: null })).toBe(null);
    },
  );

  test('cannot have left one of another user where it was no other user itself', () => {
    expect(beside('stranger', 150, { contained: false, asUs: true })).toBe('in use by others: GPU 0');
    expect(beside('stranger', 150, { contained: false, asUs: false })).toBe(null);
  });

  test('is no matter of a GPU that it was not given, nor of a lock, which others take when it is over', () => {
    expect(shortageIn(look({ uses: [use('stranger')] }), failed('GPU-1'))).toBe(null);
    expect(shortageIn(look({ uses: [use('stranger')] }), null)).toBe(null);
    expect(shortageIn(look({ held: ['GPU-0'] }), failed('GPU-0'))).toBe(null);
  });

  test('keeps no more than that slot from being lent, unless its host lacks something as well', () => {
    expect(isInUse(beside('stranger', 1) ?? '')).toBe(true);
    const full = shortageIn(look({ uses: [use('stranger')], roomMb: 3 }), failed('GPU-0'));
    expect([full, isInUse(full ?? '')]).toEqual([expect.stringMatching(/found 3;/), false]);
  });
});

test('what a host says of processes on its GPUs is read line by line, and an unknown word is a stranger', () => {
  expect(parseGpuUses('GPU-aa, 7, 99, ours\nGPU-bb, 8, 0, unseen\nGPU-cc, 9, 1, new word\nno line, 1\n')).toEqual([
    { uuid: 'GPU-aa', pid: 7, birth: 99, whose: 'ours' },
    { uuid: 'GPU-bb', pid: 8, birth: 0, whose: 'unseen' },
    { uuid: 'GPU-cc', pid: 9, birth: 1, whose: 'stranger' },
  ]);
});
