import { expect, test } from 'vitest';
import { runtimeOf } from '../../../domain/metric/runtime.ts';

const END = { wallSeconds: 0.24, cpuSeconds: 0.1, maxRssMb: 12, outputBytes: 3 };
const of = (end: typeof END) => runtimeOf({ end, machine: null, artefacts: [], mutableBytes: 2 });

test('an evaluator is told what was measured of a run', () => {
  expect(of(END)).toEqual({
    ...{ wallSeconds: 0.24, cpuSeconds: 0.1, peakMemoryMb: 12, outputBytes: 3 },
    ...{ mutableBytes: 2, artefactBytes: 0, gpu: null },
  });
});

test('the memory of a run that ended before anybody looked is unknown, and not 0', () => {
  expect(of({ ...END, maxRssMb: 0 }).peakMemoryMb).toBeNull();
});
