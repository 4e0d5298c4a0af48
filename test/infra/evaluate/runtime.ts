import type { Runtime } from '../../../domain/metric/runtime.ts';

/** Measures of some run. */
export const RUNTIME: Runtime = {
  wallSeconds: 4.5,
  cpuSeconds: 3.25,
  peakMemoryMb: 40,
  outputBytes: 12,
  mutableBytes: 700,
  artefactBytes: 3,
  gpu: null,
};
