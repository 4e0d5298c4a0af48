import { expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { hardwareClass, slotsThatShare } from '../../../domain/fleet/hardware-class.ts';

const gpu = (uuid: string, name: string) => ({ index: 0, uuid, name, memoryMb: 1 });
const HOST = { cpu: 'EPYC', cores: 8, memoryMb: 4096, gpus: [gpu('GPU-a', 'H200'), gpu('GPU-b', 'A100')] };
const WHOLE = { gpu: null, cores: null, sharing: 1 };
const withGpu = (uuids: string, sharing = 1) => ({ gpu: uuids, cores: null, sharing });

test('hardware is the models of the GPUs of the slot, or the model of the CPU, and unknown if a model is', () => {
  expect(hardwareClass(HOST, WHOLE)).toBe('EPYC, 8 cores');
  expect(hardwareClass(HOST, withGpu('GPU-a'))).toBe('H200');
  expect(hardwareClass(HOST, withGpu('GPU-a,GPU-b'))).toBe('A100 + H200');
  expect(hardwareClass(HOST, withGpu('GPU-b,GPU-a'))).toBe('A100 + H200');
  expect(hardwareClass(HOST, withGpu('GPU-c'))).toBeNull();
  expect(hardwareClass(HOST, withGpu('GPU-a,GPU-c'))).toBeNull();
  expect(hardwareClass({ cores: 8, gpus: [] }, WHOLE)).toBeNull();
});

test('slots with other numbers of cores, or of slots beside them, are other hardware', () => {
  const slots = [
    { gpu: null, cores: 1, sharing: 7 },
    { gpu: null, cores: 4, sharing: 1 },
    { gpu: null, cores: 4, sharing: 2 },
    WHOLE,
    withGpu('GPU-a'),
    withGpu('GPU-a', 2),
  ];
  expect(slots.map((slot) => hardwareClass(HOST, slot))).toEqual([
    'EPYC, 8 cores, one of 7 slots of 1',
    'EPYC, 8 cores, one of 1 slots of 4',
    'EPYC, 8 cores, one of 2 slots of 4',
    'EPYC, 8 cores',
    'H200',
    'H200, one of 2 slots',
  ]);
});

test.each([
  ['cores of its CPU', { slots: 'cpu', cores: 2 }, {}, 3],
  ['as many cores as are configured', { slots: 'cpu' }, { slots: 12 }, 12],
  ['a GPU', { slots: 'gpu' }, {}, 1],
  ['parts of a GPU', { slots: 'gpu', perGpu: 4 }, {}, 4],
  ['a whole host', { slots: 'host' }, {}, 1],
])('the slots of a host that share its hardware: %s', (_name, pool, host, sharing) => {
  const fleet = Fleet.parse({ pools: { p: pool }, hosts: [{ name: 'box', pool: 'p', ...host }] });
  expect(slotsThatShare(fleet.pools['p']!, fleet.hosts[0]!, HOST)).toBe(sharing);
});
