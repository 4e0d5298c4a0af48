import { quantile } from '../../bench/support/quantile.ts';
import type { TestStack } from '../../bench/support/stack.ts';

/** Rounds of proposal and run that a slot goes through before its share is called steady: the window is finding its size. */
const WARM_UP = 2;

/** How busy slots were, over all runs in the database. */
export interface Busy {
  runs: number;
  /** Share of the slots' time that runs of the given seconds took, from the first launch to the last end. */
  busy: number;
  /** The same without the first rounds. */
  steady: number;
  /** Seconds from the end of a run to the next one on its slot, without the first rounds. */
  gaps: { p50: number; p95: number };
}

/** Measures slots whose runs last `runSeconds`; what a run takes beyond that counts as idle. */
export async function busySlots(
  query: TestStack['query'],
  { slots, runSeconds, proposeSeconds = 0 }: { slots: number; runSeconds: number; proposeSeconds?: number },
): Promise<Busy> {
  const runs = await query<Run>(
    `select slot_id as slot, extract(epoch from launched_at)::float8 as began,
       extract(epoch from coalesce(ended_at, now()))::float8 as ended
     from runs where launched_at is not null order by launched_at`,
  );
  const first = Math.min(...runs.map((run) => run.began));
  const last = Math.max(...runs.map((run) => run.ended));
  const share = (from: number): number =>
    runs.reduce(
      (sum, run) => sum + Math.max(0, Math.min(run.began + runSeconds, last) - Math.max(run.began, from)),
      0,
    ) /
    (slots * (last - from));
  const steadyFrom = first + (runSeconds + proposeSeconds) * WARM_UP;
  const gaps = gapsBetween(runs.filter((run) => run.began >= steadyFrom));
  return {
    runs: runs.length,
    busy: share(first),
    steady: share(steadyFrom),
    gaps: { p50: quantile(gaps, 0.5), p95: quantile(gaps, 0.95) },
  };
}

interface Run {
  slot: string;
  began: number;
  ended: number;
}

/** Seconds from the end of a run to the start of the next one on the same slot. */
function gapsBetween(runs: Run[]): number[] {
  const last = new Map<string, number>();
  return runs.flatMap((run) => {
    const before = last.get(run.slot);
    last.set(run.slot, run.ended);
    return before === undefined ? [] : [Math.max(0, run.began - before)];
  });
}
