import { KEEPS } from '../../search/keep.ts';
import { seriesOf } from '../../statistics/series.ts';
import { isClaimByPerson, makeIncumbent } from './claim.ts';
import { discard } from '../rule.ts';
import { beliefFromRuns, findSubject, subjectOf } from '../subject.ts';
import type { Draft, GateConfig, GateState, Subject } from '../types.ts';

/** Failed runs, beyond the number of requested runs, after which the candidate under calibration is given up. */
const PATIENCE = 3;
/** Marks a calibration without a candidate: none has run so far, and the first that does becomes the incumbent. */
export const NOBODY = '';

/** Number of runs of the candidate that sets the noise floor. */
export const runsToCalibrate = ({ policy, baselineRuns }: GateConfig): number =>
  Math.max(KEEPS[policy].leastAsked, baselineRuns);

const hasTie = ({ values }: Subject): boolean => new Set(values).size < values.length;

/** Closes the calibration when its runs are complete, or when the candidate cannot be run often enough. */
export function calibrate(draft: Draft): void {
  const { state, config } = draft;
  const calibrating = state.calibrating;
  if (!calibrating || calibrating.candidateId === NOBODY) return;
  const subject = subjectOf(state, calibrating.candidateId);
  // A few tied runs look like a metric without noise, on which one lucky run would be a claim.
  if (hasTie(subject)) calibrating.need = Math.max(calibrating.need, config.baselineRunsIfTied ?? 0);
  const least = KEEPS[config.policy].leastBaselineRuns;
  const givenUp = subject.failures > calibrating.need + PATIENCE;
  if (subject.fresh.n >= calibrating.need || (givenUp && subject.fresh.n >= least)) {
    // Failures among the runs of a complete measurement were not in succession.
    if (subject.fresh.n >= calibrating.need) subject.failures = 0;
    subject.belief = beliefFromRuns(state, subject);
    state.calibrating = null;
    if (config.policy === 'noise-gated') admitDoubt(state);
  } else if (givenUp && fallsBack(draft, subject)) {
    calibrate(draft);
  } else if (givenUp) {
    state.calibrating = { candidateId: NOBODY, need: calibrating.need };
    state.asked = state.asked.filter(({ kind }) => kind !== 'baseline');
  }
}

/** Moves a claim that cannot be run again to the unmodified version, if that one ran. True if a fallback was found. */
function fallsBack(draft: Draft, subject: Subject): boolean {
  const { state, config } = draft;
  const base = findSubject(state, state.baselineId);
  if (subject.candidateId === state.baselineId || !base || base.fresh.n === 0) return false;
  state.asked = state.asked.filter(({ candidateId }) => candidateId !== subject.candidateId);
  if (isClaimByPerson(state) && subject.screen.n > 0) {
    // A person's claim stays, with the runs that it was based on.
    subject.values = [subject.screen.mean];
    subject.fresh = seriesOf(subject.values);
    Object.assign(state.calibrating ?? {}, { need: 1 });
    return true;
  }
  discard(draft, subject, `given up: ${subject.failures} re-runs gave no value`);
  base.failures = 0;
  state.previousId = null;
  makeIncumbent(draft, base, base.values);
  Object.assign(state, { leadId: base.candidateId, previousId: null });
  state.calibrating = { candidateId: base.candidateId, need: runsToCalibrate(config) };
  return true;
}

/** Gives beliefs that the strict rule took for exact the variance of their runs. */
function admitDoubt(state: GateState): void {
  for (const subject of state.subjects)
    if (subject.belief.variance === 0 && subject.fresh.n > 0) subject.belief = beliefFromRuns(state, subject);
}

/** True if the unmodified version was given up and nothing else has run: its pending runs are not needed. */
export const isBaselineGivenUp = ({ calibrating }: GateState): boolean => calibrating?.candidateId === NOBODY;
