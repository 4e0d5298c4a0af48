import { describe, expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { lendable, shortageIn, type Look } from '../../../domain/fleet/lendable.ts';

const gpu = (index: number) => ({ index, uuid: `GPU-${index}`, name: 'H100', memoryMb: 81_920 });
const look = (of: Partial<Look> = {}): Look => ({
  ...{ cores: 8, gpus: [gpu(0), gpu(1)], uses: [], held: [], gpuFault: null, roomMb: 5000 },
  ...of,
});

function lent(of: Partial<Look>, { pool = {}, host = {}, ours = [] as string[] } = {}) {
  const fleet = Fleet.parse({
    pools: { p: { slots: 'gpu', ...pool } },
    hosts: [{ name: 'h', pool: 'p', ...host }],
  });
  const [first] = fleet.hosts;
  const poolSpec = fleet.pools.p;
  if (!first || !poolSpec) throw new Error('Expected a host and its pool');
  const { slots, problem, note } = lendable({ pool: poolSpec, host: first, ours }, look(of));
  return { slots: slots.map(({ key }) => key), problem, note };
}

describe('what a host can lend', () => {
  test('is a slot for each GPU, named by it', () => {
    expect(lent({})).toEqual({ slots: ['GPU-0', 'GPU-1'], problem: null, note: null });
    expect(lent({}, { pool: { perGpu: 2 } }).slots).toEqual(['GPU-0', 'GPU-0.1', 'GPU-1', 'GPU-1.1']);
  });

  test('leaves out a GPU on which somebody else works, and says so; one that our runs use stays', () => {
    const uses = [{ uuid: 'GPU-0', pid: 7 }];
    expect(lent({ uses })).toEqual({ slots: ['GPU-1'], problem: null, note: 'in use by others: GPU 0' });
    expect(lent({ uses }, { ours: ['GPU-0'] }).slots).toEqual(['GPU-0', 'GPU-1']);
  });

  test('leaves out a GPU that another installation holds, though our own runs use it', () => {
    const of = { held: ['GPU-1'], uses: [{ uuid: 'GPU-1', pid: 7 }] };
    expect(lent(of, { ours: ['GPU-1'] })).toMatchObject({ slots: ['GPU-0'], note: 'in use by others: GPU 1' });
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

  test('is nothing where the disk is full', () => {
    expect(lent({ roomMb: 12 })).toMatchObject({ slots: [], problem: expect.stringContaining('found 12; free some') });
  });

  test('is a whole host to itself only while none of its GPUs is in use by others', () => {
    const pool = { slots: 'host' };
    expect(lent({}, { pool }).slots).toEqual(['host']);
    expect(lent({ uses: [{ uuid: 'GPU-1', pid: 7 }] }, { pool }).slots).toEqual([]);
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

test('a run that failed lacked room, or a GPU that is gone, where a look shows that; else nothing', () => {
  expect(shortageIn(look(), 'GPU-0,GPU-1')).toBe(null);
  expect(shortageIn(look({ roomMb: 3 }), null)).toMatch(/found 3;/);
  expect(shortageIn(look({ gpus: [gpu(1)] }), 'GPU-0,GPU-1')).toBe('the GPU GPU-0 is gone');
  expect(shortageIn(look({ gpus: [], gpuFault: 'nvidia-smi ended with 9:\n lost' }), 'GPU-0')).toBe(
    'nvidia-smi ended with 9: lost',
  );
  expect(shortageIn(look({ gpus: [], gpuFault: 'nvidia-smi ended with 9' }), null)).toBe(null);
  expect(shortageIn(undefined, 'GPU-0')).toBe(null);
});
