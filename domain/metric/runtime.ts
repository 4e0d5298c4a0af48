/** Measures of the run that is scored; its answers are under way, and not in it. */
export interface Runtime {
  wallSeconds: number;
  /** Of all its processes. */
  cpuSeconds: number;
  /** Null where the run ended before its memory was looked at. */
  peakMemoryMb: number | null;
  /** Of stdout and stderr together. */
  outputBytes: number;
  /** Of the candidate's mutable files, in UTF-8. */
  mutableBytes: number;
  artefactBytes: number;
  /** Models of the GPUs of its slot, with commas; null where it has none. */
  gpu: string | null;
}

/** The end of a run, as far as its evaluator hears of it. */
interface Ended {
  wallSeconds: number;
  cpuSeconds: number;
  maxRssMb: number;
  outputBytes: number;
}

/** Measures that the supervisor took of a run, for its evaluator. */
export function runtimeOf(of: {
  end: Ended;
  machine: { gpus: readonly { name: string }[] } | null;
  artefacts: readonly { content: Uint8Array }[];
  mutableBytes: number;
}): Runtime {
  const { end, machine, artefacts, mutableBytes } = of;
  return {
    wallSeconds: end.wallSeconds,
    cpuSeconds: end.cpuSeconds,
    // A short run ends before anybody looks.
    peakMemoryMb: end.maxRssMb > 0 ? end.maxRssMb : null,
    outputBytes: end.outputBytes,
    mutableBytes,
    artefactBytes: artefacts.reduce((sum, { content }) => sum + content.length, 0),
    gpu: machine?.gpus.map(({ name }) => name).join(', ') || null,
  };
}
