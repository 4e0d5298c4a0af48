import { MOST_FAILURES } from '../search.ts';
import { findSubject, noiseSd, subjectOf } from '../subject.ts';
import type { GateConfig, GateState } from '../types.ts';
import { formatVerdictNumber } from '../../text/format.ts';

/** Runs that the races of the lead may take: at the start, per run that ended, and at most. */
export const EFFORT = { start: 12, perRun: 0.15, most: 60 };
/** What the budget of races must hold, by how many sd of one run the lead is ahead: a race that is as good as won may empty it and more. */
const RACE_BUDGET: readonly { from: number; runs: number }[] = [
  { from: 6, runs: 0 },
  { from: 3, runs: 12 },
  { from: 2, runs: 18 },
  { from: -Infinity, runs: 24 },
];
/** The lead is raced when its estimate is this many sd of one run above the incumbent's. */
const LEAD_SCREEN = 1;

/** The obstacle of a race. */
export interface RaceObstacle {
  /** It, in words. */
  words: string;
  /** Runs that must end before the budget of races has saved up enough; null where it is another obstacle. */
  runs: number | null;
}

/**
 * The obstacle of the race of a candidate with the incumbent; null where it may start. The lead as a whole is raced when its
 * estimate passes the screen against the incumbent's and the race it would take is affordable; the former incumbent when
 * re-runs have put it two standard errors ahead: the same test reversed.
 */
export function raceObstacle(config: GateConfig, state: GateState, candidateId: string): RaceObstacle | null {
  const other = otherObstacle(config, state, candidateId);
  if (other !== null) return { words: other, runs: null };
  const gain = gainOf(state, candidateId);
  if (hasOvertaken(state, candidateId, gain)) return null;
  const inSd = gain / noiseSd(state);
  if (!(inSd > LEAD_SCREEN)) {
    const needed = `an estimate ${LEAD_SCREEN} sd of one run better than the best`;
    return { words: `${needed}; now it is ${formatVerdictNumber(Number(inSd.toPrecision(2)))} sd`, runs: null };
  }
  const cost = RACE_BUDGET.find(({ from }) => inSd >= from)?.runs ?? 0;
  if (cost <= state.effort) return null;
  const runs = Math.ceil((cost - state.effort) / EFFORT.perRun);
  const what =
    cost > 0 ? `a race takes ${cost} runs, which are` : 'earlier races took more runs than they had, which will be';
  const after = `after ${runs} more ${runs === 1 ? 'trial' : 'trials'}, sooner with a better lead`;
  return { words: `the budget of races: ${what} saved up ${after}`, runs };
}

/** The obstacle that no run of the budget of races removes, in words. */
function otherObstacle(config: GateConfig, state: GateState, candidateId: string): string | null {
  const challenger = findSubject(state, candidateId);
  if (!challenger || candidateId === state.incumbentId) return 'another candidate';
  if (challenger.screen.n + challenger.fresh.n === 0) return 'a first run of it';
  const open = state.races[0];
  if (open?.candidateId === candidateId) return 'the rest of its runs';
  if (open) return `the race of ${open.ofTrial === null ? 'the unmodified version' : `#${open.ofTrial}`}`;
  return gainOf(state, candidateId) > config.minDelta ? null : 'an estimate that is better than the best';
}

/** By how much a candidate's estimate is above the incumbent's. */
const gainOf = (state: GateState, candidateId: string): number =>
  subjectOf(state, candidateId).belief.mean - subjectOf(state, state.incumbentId).belief.mean;

/** Whether re-runs have put the former incumbent, which can still be run, ahead of the present one. */
function hasOvertaken(state: GateState, candidateId: string, gain: number): boolean {
  const { belief, failures } = subjectOf(state, candidateId);
  const error = Math.sqrt(belief.variance + subjectOf(state, state.incumbentId).belief.variance);
  return candidateId === state.previousId && failures <= MOST_FAILURES && gain > 2 * error;
}
