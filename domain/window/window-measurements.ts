/** Times of one ended trial, in seconds; null if not measured. */
export interface WindowSample {
  /** Time that the slot was free before the trial took it. */
  slotWaitSeconds: number | null;
  /** Time that the candidate was ready before it started. */
  readyWaitSeconds: number | null;
  proposeSeconds: number | null;
  slotSeconds: number | null;
}

/** Smoothed times, and sums of the current period. */
export interface WindowMeasurements {
  propose: number | null;
  slot: number | null;
  proposals: number;
  runs: number;
  /** Number of samples in this period. */
  period: number;
  /** Seconds that slots waited for a candidate that was not ready. */
  starved: number;
  /** Seconds that ready candidates waited for a slot. */
  spare: number;
}

export const NO_MEASUREMENTS: WindowMeasurements = {
  propose: null,
  slot: null,
  proposals: 0,
  runs: 0,
  period: 0,
  starved: 0,
  spare: 0,
};

/** Updates a moving average, which begins as the plain mean. */
function smooth(mean: number | null, value: number, weight: number): number {
  if (mean === null) return value;
  // The bound prevents one very slow proposal from doubling the window.
  return mean + weight * (Math.min(value, 10 * mean + 1) - mean);
}

const valid = (value: number | null): value is number => value !== null && Number.isFinite(value) && value >= 0;

/**
 * Adds a trial; its waits are added only with `counts`. A slot waits for a candidate only until the candidate is ready.
 * The rest of a free slot's wait is the start of the run, which no window can shorten.
 */
export function addMeasurement(
  before: WindowMeasurements,
  ended: WindowSample,
  { counts, slots }: { counts: boolean; slots: number },
): WindowMeasurements {
  const after = { ...before };
  const long = 16 + 2 * slots;
  if (valid(ended.proposeSeconds)) {
    after.proposals += 1;
    after.propose = smooth(before.propose, ended.proposeSeconds, 1 / Math.min(after.proposals, long));
  }
  if (valid(ended.slotSeconds)) {
    after.runs += 1;
    after.slot = smooth(before.slot, ended.slotSeconds, 1 / Math.min(after.runs, long));
  }
  if (counts && valid(ended.slotWaitSeconds) && valid(ended.readyWaitSeconds)) {
    const ahead = ended.readyWaitSeconds - ended.slotWaitSeconds;
    after.period += 1;
    after.starved += Math.max(0, -ahead);
    after.spare += Math.max(0, ahead);
  }
  return after;
}
