import { expect, test } from 'vitest';
import { runtimeOf } from '../../../domain/metric/runtime.ts';

const END = { wallSeconds: 0.24, cpuSeconds: 0.1, maxRssMb: 12, outputBytes: 3 };
const measured = (end: typeof END) => runtimeOf({ end, machine: null, artefacts: [], mutableBytes: 2 });

test('an evaluator gets the measurements of a run', () => {
  expect(measured(END)).toEqual({
    wallSeconds: 0.24,
    cpuSeconds: 0.1,
    peakMemoryMb: 12,
    outputBytes: 3,
    mutableBytes: 2,
    artefactBytes: 0,
    gpu: null,
  });
});

test('the memory of a run that ended before the first measurement is unknown, not 0', () => {
  expect(measured({ ...END, maxRssMb: 0 }).peakMemoryMb).toBeNull();
});
