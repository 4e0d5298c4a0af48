import { calibrate, NOBODY } from './claim/calibrate.ts';
import { reviewStrict } from './claim/claim.ts';
import { releaseExactClaims, stepExactClaims } from './claim/exact-claim.ts';
import { takeBackExactClaim } from './claim/take-back.ts';
import { fallBack, stepComparison } from './screen/compare-with-lead.ts';
import { openRaces, stepRaces } from './race/racing.ts';
import { adoptOldestWaiting, ruleOnCandidate, ruleOnWaiting } from './search.ts';
import { findSubject, isDeterministic, noiseSd } from './subject.ts';
import type { Draft } from './types.ts';

/** Draws all conclusions that the runs allow. */
export function drawConclusions(draft: Draft): void {
  const { state, config } = draft;
  if (state.calibrating) {
    calibrate(draft);
    if (state.calibrating?.candidateId === NOBODY) adoptOldestWaiting(draft);
    if (state.calibrating) return;
    // The runs of the measurement may be the ones that differ.
    takeBackExactClaim(draft, false);
    releaseOnNoise(draft);
    ruleOnWaiting(draft);
  }
  judgeGathered(draft);
  releaseOnNoise(draft);
  if (config.policy === 'strict' || isDeterministic(state)) {
    stepExactClaims(draft);
    reviewStrict(draft);
    return;
  }
  if (config.followsLead) {
    fallBack(draft);
    stepProbes(draft);
  }
  stepRaces(draft);
  openRaces(draft);
}

/** Rules on the candidates of waiting claims as on any other, once a run has shown noise. */
function releaseOnNoise(draft: Draft): void {
  if (noiseSd(draft.state) === 0) return;
  for (const subject of releaseExactClaims(draft.state)) ruleOnCandidate(draft, subject);
}

/** Rules on the candidates whose repeats are complete. */
function judgeGathered(draft: Draft): void {
  const { state, config } = draft;
  for (const id of [...state.gathering]) {
    const subject = findSubject(state, id);
    if (!subject || subject.screen.n < config.repeats) continue;
    state.gathering = state.gathering.filter((other) => other !== id);
    ruleOnCandidate(draft, subject);
  }
}

/** Continues the comparisons with the lead, except those that wait for a run of their candidate. */
function stepProbes(draft: Draft): void {
  const { state } = draft;
  for (const probe of [...state.probes]) {
    const waits = probe.next === 'candidate' && state.asked.some((run) => run.candidateId === probe.candidateId);
    const subject = findSubject(state, probe.candidateId);
    if (subject && !waits) stepComparison(draft, subject);
  }
}
