import { findSubject, MOST_FAILURES, noiseSd, subjectOf } from '../subject.ts';
import type { GateConfig, GateState } from '../types.ts';
import { formatVerdictNumber } from '../../text/format.ts';
import { plural } from '../../text/plural.ts';

/** Budget of races, in runs: at the start, added per ended run, and at most. */
export const EFFORT = { start: 12, perRun: 0.15, most: 60 };
/**
 * Runs that the budget of races must hold, by the lead's gain in sd of one run. A race that is almost certain to be won
 * may overdraw the budget.
 */
const RACE_BUDGET: readonly { from: number; runs: number }[] = [
  { from: 6, runs: 0 },
  { from: 3, runs: 12 },
  { from: 2, runs: 18 },
  { from: -Infinity, runs: 24 },
];
/** Gain of the lead's estimate over the incumbent's, in sd of one run, above which the lead is raced. */
const LEAD_SCREEN = 1;

/** Obstacle to a race. */
export interface RaceObstacle {
  /** A clause about the candidate's race: "its race is under way". */
  words: string;
  /** Runs that must end until the budget of races suffices; null for any other obstacle. */
  runs: number | null;
}

/**
 * Finds the obstacle to a candidate's race with the incumbent; null if the race may start. The lead is raced if its
 * estimate passes the screen against the incumbent's, and the budget of races suffices. The former incumbent is raced
 * if re-runs have put it two standard errors ahead: the same test reversed.
 */
export function raceObstacle(config: GateConfig, state: GateState, candidateId: string): RaceObstacle | null {
  const lasting = lastingObstacle(config, state, candidateId);
  if (lasting !== null) return { words: lasting, runs: null };
  const gain = gainOf(state, candidateId);
  if (hasOvertaken(state, candidateId, gain)) return null;
  const inSd = gain / noiseSd(state);
  if (!(inSd > LEAD_SCREEN)) {
    const needed = `its race needs an estimate ${LEAD_SCREEN} sd of one run better than the best`;
    return { words: `${needed}; now it is ${formatVerdictNumber(Number(inSd.toPrecision(2)))} sd better`, runs: null };
  }
  const cost = RACE_BUDGET.find(({ from }) => inSd >= from)?.runs ?? 0;
  if (cost <= state.effort) return null;
  const runs = Math.ceil((cost - state.effort) / EFFORT.perRun);
  const trials = plural(runs, 'more trial');
  const words =
    cost > 0
      ? `its race needs ${cost} runs; the budget of races has them after ${trials}, or sooner if the lead improves`
      : `its race can start after ${trials}, since earlier races overdrew the budget of races`;
  return { words, runs };
}

/** Obstacle that no saved run of the budget of races removes, as a text; else null. */
function lastingObstacle(config: GateConfig, state: GateState, candidateId: string): string | null {
  const challenger = findSubject(state, candidateId);
  if (!challenger || candidateId === state.incumbentId) return 'its race needs a candidate other than the best';
  if (challenger.screen.n + challenger.fresh.n === 0) return 'its race needs a first run';
  const open = state.races[0];
  if (open?.candidateId === candidateId) return 'its race is under way';
  if (open)
    return `its race waits for the race of ${open.ofTrial === null ? 'the unmodified version' : `#${open.ofTrial}`}`;
  return gainOf(state, candidateId) > config.minDelta ? null : 'its race needs an estimate better than the best';
}

/** Gain of a candidate's estimate over the incumbent's. */
const gainOf = (state: GateState, candidateId: string): number =>
  subjectOf(state, candidateId).belief.mean - subjectOf(state, state.incumbentId).belief.mean;

/** True if the candidate is the former incumbent, can be run, and re-runs have put it ahead of the current one. */
function hasOvertaken(state: GateState, candidateId: string, gain: number): boolean {
  const { belief, failures } = subjectOf(state, candidateId);
  const error = Math.sqrt(belief.variance + subjectOf(state, state.incumbentId).belief.variance);
  return candidateId === state.previousId && failures <= MOST_FAILURES && gain > 2 * error;
}
