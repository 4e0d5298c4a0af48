import { MOST_FAILURES } from '../search.ts';
import { findSubject, noiseSd, subjectOf } from '../subject.ts';
import type { GateConfig, GateState } from '../types.ts';
import { show } from '../../text/format.ts';

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

/**
 * What the race of a candidate with the incumbent waits for, in words; null where it may start. The lead as a whole is
 * raced when its estimate passes the screen against the incumbent's and the race it would take is affordable; the former
 * incumbent when re-runs have put it two standard errors ahead: the same test reversed.
 */
export function raceWaitsFor(config: GateConfig, state: GateState, candidateId: string): string | null {
  const challenger = findSubject(state, candidateId);
  if (!challenger || candidateId === state.incumbentId) return 'another candidate';
  if (challenger.screen.n + challenger.fresh.n === 0) return 'a first run of it';
  const open = state.races[0];
  if (open?.candidateId === candidateId) return 'the rest of its runs';
  if (open) return `the race of ${open.ofTrial === null ? 'the unmodified version' : `#${open.ofTrial}`}`;
  const incumbent = subjectOf(state, state.incumbentId).belief;
  const gain = challenger.belief.mean - incumbent.mean;
  if (!(gain > config.minDelta)) return 'an estimate that is better than the best';
  const runs = challenger.failures <= MOST_FAILURES;
  if (candidateId === state.previousId && runs && gain > 2 * Math.sqrt(challenger.belief.variance + incumbent.variance))
    return null;
  const inSd = gain / noiseSd(state);
  if (!(inSd > LEAD_SCREEN))
    return `an estimate ${LEAD_SCREEN} sd of one run better than the best; now it is ${show(Number(inSd.toPrecision(2)))} sd`;
  const cost = RACE_BUDGET.find(({ from }) => inSd >= from)?.runs ?? 0;
  if (cost <= state.effort) return null;
  const ahead = Math.ceil((cost - state.effort) / EFFORT.perRun);
  return `the budget of races: ${cost > 0 ? `a race takes ${cost} runs, which are` : 'earlier races took more runs than they had, which will be'} saved up after ${ahead} more ${ahead === 1 ? 'trial' : 'trials'}, sooner with a better lead`;
}
