import { describe, expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { chooseGpus, parseGpus } from '../../../domain/fleet/gpus.ts';
import { slotsOf, withoutCollidingSlots } from '../../../domain/fleet/slots.ts';

const SMI = '0, GPU-aa, NVIDIA A100-SXM4-80GB, 81920\n1, GPU-bb, Quadro, two, [N/A]\nFailed to initialize NVML\n';
const gpus = parseGpus(SMI);

/** The slots of a host in a pool, both as in fleet.yaml. */
function slots(pool: object, host: object, facts: { cores: number; gpus?: typeof gpus; memoryMb?: number }) {
  const fleet = Fleet.parse({ pools: { p: pool }, hosts: [{ name: 'h', pool: 'p', ...host }] });
  const [first] = fleet.hosts;
  if (!first || !fleet.pools.p) throw new Error('no host');
  return slotsOf(fleet.pools.p, first, { gpus: [], memoryMb: 16_000, ...facts }).map(
    ({ index, gpu }) => `${index}:${gpu ?? '-'}`,
  );
}

test('GPUs are read from the output of nvidia-smi, whatever their names', () => {
  expect(gpus).toEqual([
    { index: 0, uuid: 'GPU-aa', name: 'NVIDIA A100-SXM4-80GB', memoryMb: 81920 },
    { index: 1, uuid: 'GPU-bb', name: 'Quadro, two', memoryMb: 0 },
  ]);
});

test('a GPU that nvidia-smi names twice counts once', () => {
  expect(parseGpus(`${SMI}2, GPU-aa, NVIDIA A100-SXM4-80GB, 81920\n`)).toEqual(gpus);
});

test('GPUs are chosen by index or UUID, each once, and missing ones are reported', () => {
  const named = chooseGpus(gpus, ['GPU-bb', 1, '0', 7, 'GPU-cc']);
  expect(named.gpus.map(({ uuid }) => uuid)).toEqual(['GPU-bb', 'GPU-aa']);
  expect(named.missing).toEqual([7, 'GPU-cc']);
  expect(chooseGpus(gpus, 'auto')).toEqual({ gpus, missing: [] });
  expect(chooseGpus(gpus, 'auto', ['GPU-zz', 'GPU-aa'])).toEqual({ gpus, missing: ['GPU-zz'] });
});

test.each([
  [{ slots: 'gpu' }, {}, { cores: 8, gpus }, ['0:GPU-aa', '1:GPU-bb']],
  [{ slots: 'gpu', perGpu: 2 }, { gpus: [1] }, { cores: 8, gpus }, ['0:GPU-bb', '1:GPU-bb']],
  [{ slots: 'gpu' }, {}, { cores: 8 }, []],
  [{ slots: 'host' }, {}, { cores: 8, gpus }, ['0:GPU-aa,GPU-bb']],
  [{ slots: 'host' }, {}, { cores: 8 }, ['0:-']],
  [{ slots: 'cpu', cores: 2 }, {}, { cores: 8 }, ['0:-', '1:-', '2:-']],
  [{ slots: 'cpu' }, { slots: 2 }, { cores: 8 }, ['0:-', '1:-']],
  [{ slots: 'cpu' }, { slots: 5 }, { cores: 4 }, ['0:-', '1:-', '2:-', '3:-', '4:-']],
  [{ slots: 'cpu' }, {}, { cores: 1 }, ['0:-']],
  [{ slots: 'cpu', cores: 4 }, {}, { cores: 2 }, []],
  [{ slots: 'cpu', memoryMb: 6000 }, {}, { cores: 8 }, ['0:-', '1:-']],
  [{ slots: 'cpu', memoryMb: 6000 }, { slots: 5 }, { cores: 8 }, ['0:-', '1:-']],
  [{ slots: 'cpu', memoryMb: 1000 }, {}, { cores: 3 }, ['0:-', '1:-']],
  [{ slots: 'cpu', memoryMb: 6000 }, {}, { cores: 8, memoryMb: 5999 }, []],
])('a pool %j and a host %j with %j give %j', (pool, host, facts, expected) =>
  expect(slots(pool, host, facts)).toEqual(expected),
);

describe('slots that are held', () => {
  const slot = (key: string, gpu: string | null = null) => ({ key, index: 0, gpu });
  const keysBeside = (slots: ReturnType<typeof slot>[], ...held: { id: string; pool: string; gpu: string | null }[]) =>
    withoutCollidingSlots({ pool: 'new', slots, held }).map(({ key }) => key);

  test('all slots are lent if no slot of an earlier shape is held', () => {
    expect(keysBeside([slot('0'), slot('1')])).toEqual(['0', '1']);
  });

  test('a GPU is not lent while a slot of another pool, share or host has it', () => {
    const gpus = [slot('GPU-a', 'GPU-a'), slot('GPU-b', 'GPU-b')];
    expect(keysBeside(gpus, { id: 'h/old/GPU-a', pool: 'old', gpu: 'GPU-a' })).toEqual(['GPU-b']);
    expect(keysBeside(gpus, { id: 'h/new/GPU-b.1', pool: 'new', gpu: 'GPU-b' })).toEqual(['GPU-a']);
    expect(keysBeside(gpus, { id: 'h/old/host', pool: 'old', gpu: 'GPU-a,GPU-b' })).toEqual([]);
  });

  test('cores are not lent beside those of another pool, but beside those of the same pool', () => {
    expect(keysBeside([slot('0')], { id: 'h/old/3', pool: 'old', gpu: null })).toEqual([]);
    expect(keysBeside([slot('0')], { id: 'h/new/3', pool: 'new', gpu: null })).toEqual(['0']);
    expect(keysBeside([slot('4c0')], { id: 'h/new/3', pool: 'new', gpu: null })).toEqual([]);
  });

  test('a whole host is lent only if no slot of it is held', () => {
    expect(keysBeside([slot('host')], { id: 'h/new/0', pool: 'new', gpu: null })).toEqual([]);
  });
});
