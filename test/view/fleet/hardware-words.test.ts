import { expect, it } from 'vitest';
import { hardwareWords, ownHardwareWords } from '../../../domain/fleet/hardware-words.ts';

const gpu = (index: number) => ({ index, uuid: `GPU-${index}`, name: 'H100', memoryMb: 81_559 });
const facts = { cores: 24, memoryMb: 96_000, gpus: [gpu(0), gpu(1)] };

it('says what a run gets on the hosts of a pool, once for hosts that are alike', () => {
  const hosts = [{ facts, poolSpec: { slots: 'gpu' as const, env: {} } }];
  expect(hardwareWords([...hosts, ...hosts])).toEqual([
    'one GPU (H100 with 81559 MB) of a host of 24 cores and 96000 MB of memory',
  ]);
  expect(hardwareWords([{ facts: { ...facts, gpus: [] }, poolSpec: { slots: 'cpu', cores: 2, env: {} } }])).toEqual([
    '2 cores of a host of 24 cores and 96000 MB of memory, no GPU',
  ]);
  expect(hardwareWords([{ facts: null, poolSpec: { slots: 'cpu', env: {} } }])).toEqual([]);
  expect(ownHardwareWords({ cores: 8, slots: 7 })).toBe('one of 7 runs at a time on 8 cores, no GPU');
});
