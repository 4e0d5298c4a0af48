import { expect, test } from 'vitest';
import { hardwareClass } from '../../../domain/fleet/hardware-class.ts';

const gpu = (uuid: string, name: string) => ({ index: 0, uuid, name, memoryMb: 1 });
const HOST = { cpu: 'EPYC', cores: 8, gpus: [gpu('GPU-a', 'H200'), gpu('GPU-b', 'A100')] };

test('hardware is the models of the GPUs of the slot, or the model of the CPU, and unknown if a model is', () => {
  expect(hardwareClass(HOST, null)).toBe('EPYC, 8 cores');
  expect(hardwareClass(HOST, 'GPU-a')).toBe('H200');
  expect(hardwareClass(HOST, 'GPU-a,GPU-b')).toBe('A100 + H200');
  expect(hardwareClass(HOST, 'GPU-b,GPU-a')).toBe('A100 + H200');
  expect(hardwareClass(HOST, 'GPU-c')).toBeNull();
  expect(hardwareClass(HOST, 'GPU-a,GPU-c')).toBeNull();
  expect(hardwareClass({ cores: 8, gpus: [] }, null)).toBeNull();
});
