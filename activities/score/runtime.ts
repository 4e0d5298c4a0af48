import type { Run } from '../../db/run/run.ts';
import type { Runtime } from '../../infra/evaluate.ts';
import type { StoredEnd } from '../run/collect.ts';

/** Measures that the supervisor took of a run, for its evaluator. */
export function runtimeOf(of: {
  end: StoredEnd;
  machine: Run['machine'];
  artefacts: { content: Uint8Array }[];
  files: Record<string, string>;
}): Runtime {
  const { end, machine, artefacts, files } = of;
  return {
    wallSeconds: end.wallSeconds,
    cpuSeconds: end.cpuSeconds,
    // A short run ends before anybody looks.
    peakMemoryMb: end.maxRssMb > 0 ? end.maxRssMb : null,
    outputBytes: end.outputBytes,
    mutableBytes: Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    artefactBytes: artefacts.reduce((sum, { content }) => sum + content.length, 0),
    gpu: machine?.gpus.map(({ name }) => name).join(', ') || null,
  };
}
