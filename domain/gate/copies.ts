import { addValue } from '../statistics/series.ts';
import { countExactRun, failExactRun } from './claim/exact-claim.ts';
import { addFreshRun, beliefFromRuns, findSubject, isDeterministic } from './subject.ts';
import type { Draft, EndedRun, GateState, RawBest, Subject } from './types.ts';

/** Most search results that wait for the baseline; beyond them the worst is dropped. */
export const MOST_HELD = 64;

/** Largest value that counts as a measurement: its fourth power must stay finite. NaN fails the comparison, too. */
export const LARGEST_VALUE = 1e60;

/** Stores a run as the best single one if its value exceeds the stored one, and no person discarded its candidate. */
export function noteRawBest(state: GateState, best: RawBest): void {
  if (state.discardedByPerson?.includes(best.candidateId)) return;
  if (!state.rawBest || best.value > state.rawBest.value) state.rawBest = best;
}

/**
 * Processes one more search run of a known candidate. The run pays no error probability for claims, is compared with
 * nothing and gets no verdict. It does not count in a race, whose runs are requested in random order.
 */
export function takeCopy(draft: Draft, run: EndedRun, value: number | null): void {
  const { state } = draft;
  const { n, candidateId, parentId } = run;
  const subject = findSubject(state, candidateId);
  const rule = (reason: string): void => {
    draft.rulings.push({ n, verdict: 'none', reason });
  };
  if (value === null) {
    rule('a further run of a known candidate that gave no value');
    if (!subject || run.censored) return;
    subject.failed = (subject.failed ?? 0) + 1;
    failExactRun(draft, subject);
    return;
  }
  noteRawBest(state, { n, candidateId, value });
  if (subject) {
    rule('a known candidate: this run adds to its estimate and gets no verdict');
    addRunOf(draft, subject, value);
    return;
  }
  const waits = state.held.some((held) => held.candidateId === candidateId);
  if (waits && state.held.length < MOST_HELD) state.held.push({ n, candidateId, parentId, value, copy: true });
  rule(`a known candidate: this run gets no verdict${waits ? '' : ', since its candidate is out'}`);
}

/** Adds the value of one more run of a candidate, requested or not. */
export function addRunOf(draft: Draft, subject: Subject, value: number): void {
  const { state } = draft;
  subject.completed = (subject.completed ?? 0) + 1;
  if (state.gathering.includes(subject.candidateId)) {
    gather(draft, subject, value);
    return;
  }
  if (!state.calibrating) subject.failures = 0;
  addFreshRun(state, subject, value);
  if (state.calibrating?.candidateId === subject.candidateId) subject.belief = beliefFromRuns(state, subject);
  countExactRun(state, subject.candidateId);
  if (subject.candidateId !== state.baselineId) return;
  state.baseline = {
    series: addValue(state.baseline.series, value),
    values: [...state.baseline.values, value].slice(-30),
  };
}

/** Adds the value of one more seed of a candidate that is judged by its mean over seeds. */
function gather(draft: Draft, subject: Subject, value: number): void {
  subject.screen = addValue(subject.screen, value);
  const { min, max } = subject.screen;
  if (min !== max && isDeterministic(draft.state)) draft.state.noise.ss = ((max - min) * (max - min)) / 2;
}
