import { expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { chooseGpus, parseGpus } from '../../../domain/fleet/gpus.ts';
import { slotsOf } from '../../../domain/fleet/slots.ts';

const SMI = '0, GPU-aa, NVIDIA A100-SXM4-80GB, 81920\n1, GPU-bb, Quadro, two, [N/A]\nFailed to initialize NVML\n';
const gpus = parseGpus(SMI);

/** Slots of a host in a pool, both as a person writes them. */
function slots(pool: object, host: object, facts: { cores: number; gpus?: typeof gpus; memoryMb?: number }) {
  const fleet = Fleet.parse({ pools: { p: pool }, hosts: [{ name: 'h', pool: 'p', ...host }] });
  const [first] = fleet.hosts;
  if (!first || !fleet.pools.p) throw new Error('no host');
  return slotsOf(fleet.pools.p, first, { gpus: [], memoryMb: 16_000, ...facts }).map(
    ({ index, gpu }) => `${index}:${gpu ?? '-'}`,
  );
}

test('GPUs are read from what nvidia-smi prints, whatever their names', () => {
  expect(gpus).toEqual([
    { index: 0, uuid: 'GPU-aa', name: 'NVIDIA A100-SXM4-80GB', memoryMb: 81920 },
    { index: 1, uuid: 'GPU-bb', name: 'Quadro, two', memoryMb: 0 },
  ]);
});

test('a GPU that is named again counts once', () => {
  expect(parseGpus(`${SMI}2, GPU-aa, NVIDIA A100-SXM4-80GB, 81920\n`)).toEqual(gpus);
});

test('GPUs are chosen by index or UUID, each once, and what is not there is told', () => {
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
])('a pool %j and a host %j of %j give %j', (pool, host, facts, expected) =>
  expect(slots(pool, host, facts)).toEqual(expected),
);
