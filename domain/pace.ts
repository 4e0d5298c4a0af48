import type { TrialStatus } from './trial.ts';

/** This many proposals in a row that were rubbish, lost or known already slow a research down. */
const PACE_AFTER = 10;
const WORTHLESS: readonly TrialStatus[] = ['rejected', 'lost', 'cached'];
const FIRST_SECONDS = 5;
const LONGEST_SECONDS = 300;

/** As many of the last proposals as the pace may depend on. */
export const PACE_LOOKS_AT = 20;

type Outcomes = readonly (TrialStatus | null)[];

/** Seconds to wait before the next proposal, from the last outcomes (newest first): rubbish in a row doubles it. */
export const paceSeconds = (proposals: Outcomes): number => afterInARow(proposals, WORTHLESS);

/** The same for every kind of trial: machines that lose all they are given shall not be given more at full speed. */
export const lossPaceSeconds = (trials: Outcomes): number => afterInARow(trials, ['lost']);

function afterInARow(last: Outcomes, bad: readonly TrialStatus[]): number {
  const good = last.findIndex((status) => status === null || !bad.includes(status));
  const failed = good === -1 ? last.length : good;
  return failed < PACE_AFTER ? 0 : Math.min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** (failed - PACE_AFTER));
}
