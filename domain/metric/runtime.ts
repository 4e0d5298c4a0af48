/**
 * Measurements of the run that is being scored, for its evaluator. They exclude the answering program, which still
 * runs.
 */
export interface Runtime {
  wallSeconds: number;
  /** CPU seconds of all processes of the run. */
  cpuSeconds: number;
  /** Null if the run ended before the supervisor sampled its memory. */
  peakMemoryMb: number | null;
  /** Bytes of stdout and stderr together. */
  outputBytes: number;
  /** Bytes of the candidate's mutable files, in UTF-8. */
  mutableBytes: number;
  artefactBytes: number;
  /** Models of the slot's GPUs, separated by commas; null if it has none. */
  gpu: string | null;
}

/** The part of a run's end that its evaluator receives. */
interface MeasuredEnd {
  wallSeconds: number;
  cpuSeconds: number;
  maxRssMb: number;
  outputBytes: number;
}

/** The supervisor's measurements of a run, for its evaluator. */
export function runtimeOf(run: {
  end: MeasuredEnd;
  machine: { gpus: readonly { name: string }[] } | null;
  artefacts: readonly { content: Uint8Array }[];
  mutableBytes: number;
}): Runtime {
  const { end, machine, artefacts, mutableBytes } = run;
  return {
    wallSeconds: end.wallSeconds,
    cpuSeconds: end.cpuSeconds,
    // A short run may end before the first sample of its memory.
    peakMemoryMb: end.maxRssMb > 0 ? end.maxRssMb : null,
    outputBytes: end.outputBytes,
    mutableBytes,
    artefactBytes: artefacts.reduce((sum, { content }) => sum + content.length, 0),
    gpu: machine?.gpus.map(({ name }) => name).join(', ') || null,
  };
}
