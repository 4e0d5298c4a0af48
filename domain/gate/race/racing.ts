import { plural } from '../../text/plural.ts';
import { EMPTY_SERIES, seriesOf } from '../../statistics/series.ts';
import { withdraw } from './account.ts';
import { isClaimByPerson, makeIncumbent } from '../claim/claim.ts';
import { raceObstacle } from './race-obstacle.ts';
import { describeFailedSides, failuresThatEnd, withFailedRuns } from './failed-runs.ts';
import { evaluateRace, HEAT, RACE_STAGES, tOf } from './race.ts';
import { discard } from '../rule.ts';
import { giveUpLead } from '../screen/compare-with-lead.ts';
import { screenAgainstIncumbent } from '../screen/screening.ts';
import { MOST_FAILURES, subjectOf } from '../subject.ts';
import type { Draft, Race } from '../types.ts';
import { formatVerdictNumber, formatVerdictGain } from '../../text/format.ts';

/** Most simultaneous races if candidates are raced one by one, not as the lead. */
const MOST_RACES = 4;
/** Most failed runs of a race. */
const PATIENCE = 6;

/** Opens the races that may start now. */
export function openRaces(draft: Draft): void {
  const { state, config } = draft;
  const challenger = challengerOf(draft);
  if (challenger !== null && raceObstacle(config, state, challenger) === null) open(draft, challenger, false);
  while (!config.followsLead && state.races.length < MOST_RACES) {
    const id = state.queue.shift();
    if (id === undefined) return;
    const { passes, comparison } = screenAgainstIncumbent(draft, subjectOf(state, id));
    if (passes) open(draft, id, true);
    else discard(draft, subjectOf(state, id), `the incumbent changed while it waited: ${comparison}`);
  }
}

/** Candidate that is raced without a heat: the lead, or without one the former incumbent. */
function challengerOf({ config, state }: Draft): string | null {
  if (config.followsLead) return state.leadId;
  return isClaimByPerson(state) ? null : state.previousId;
}

function open(draft: Draft, candidateId: string, heat: boolean): void {
  const level = heat ? 0 : withdraw(draft.config, draft.state);
  const { ofTrial } = subjectOf(draft.state, candidateId);
  draft.state.races.push({ candidateId, ofTrial, heat, values: [], controls: [], look: 0, level, failures: 0 });
}

/** Takes the looks that are due. Stops after a claim, since two candidates cannot both become the incumbent. */
export function stepRaces(draft: Draft): void {
  for (const race of [...draft.state.races]) {
    if (draft.claimed) return;
    if (failuresThatEnd(draft.state, race) > PATIENCE) {
      endRace(draft, race, `race lost: ${describeFailedSides(race.failures, race.failed?.incumbent ?? 0)}`);
      giveUpFailingLead(draft, race.candidateId);
    } else if (race.heat) stepHeat(draft, race);
    else stepRace(draft, race);
  }
}

/** Compares with old runs of the incumbent. The heat only saves runs: it claims nothing, so it costs no error. */
function stepHeat(draft: Draft, race: Race): void {
  const { state } = draft;
  if (race.values.length < HEAT.runs) return;
  const { t, difference } = tOf(race.values, subjectOf(state, state.incumbentId).values);
  if (t < HEAT.t || difference <= draft.config.minDelta) {
    endRace(
      draft,
      race,
      `not raced: ${formatVerdictGain(difference)} in ${race.values.length} fresh runs, t ${formatVerdictNumber(t)}`,
    );
    return;
  }
  race.heat = false;
  race.values = [];
  race.controls = [];
  delete race.failed;
  race.level = withdraw(draft.config, state);
}

function stepRace(draft: Draft, race: Race): void {
  const { state, config } = draft;
  const judged = withFailedRuns(state, race);
  const outcome = evaluateRace(judged, config.minDelta);
  if (!outcome) return;
  const { comparison, end, level } = outcome;
  const { difference, t, p } = comparison;
  const summary =
    `${formatVerdictGain(difference)} over the incumbent in ${plural(judged.values.length, 'run')} of each, ` +
    `t ${formatVerdictNumber(t)}`;
  if (end === 'won') {
    const subject = subjectOf(state, race.candidateId);
    noteDrift(draft, race);
    endRace(draft, race, null);
    const reason = `race won: ${summary}, exact p ${formatVerdictNumber(p)} ≤ ${formatVerdictNumber(level)}`;
    const failed = race.failed?.candidate ?? 0;
    const failures = failed > 0 ? `; won ${plural(race.values.length, 'run')}, ${failed} more failed` : '';
    if (race.ofTrial !== null) draft.rulings.push({ n: race.ofTrial, verdict: 'keep', reason: reason + failures });
    makeIncumbent(draft, subject, race.values);
    subject.after = EMPTY_SERIES;
    delete subject.claimedOnTies;
    restartRaces(draft);
  } else if (end === 'lost') {
    const stays = state.leadId === race.candidateId ? '; the candidate stays the lead' : '';
    noteDrift(draft, race);
    const counted = judged.values.length - race.values.length;
    const failures = counted > 0 ? `; ${counted} of its runs failed` : '';
    const reason =
      race.values.length === 0
        ? `race lost: all ${counted} of its runs gave no value`
        : `race lost: ${summary}, exact p above ${formatVerdictNumber(level)}${failures}${stays}`;
    endRace(draft, race, reason);
    giveUpFailingLead(draft, race.candidateId);
  } else race.look += 1;
}

/** Gives up a lead whose latest runs have all failed, so that the search does not start from it. */
function giveUpFailingLead(draft: Draft, candidateId: string): void {
  const { state } = draft;
  const subject = subjectOf(state, candidateId);
  if (state.leadId !== candidateId || subject.failures <= MOST_FAILURES) return;
  giveUpLead(draft, subject, `given up: ${subject.failures} re-runs gave no value`);
}

/** Restarts open races against a new incumbent, made by a claim or by a person. Races that are not ahead end. */
export function restartRaces(draft: Draft): void {
  const { state } = draft;
  const bar = subjectOf(state, state.incumbentId).fresh.mean;
  for (const race of [...state.races]) {
    const { screen } = subjectOf(state, race.candidateId);
    const mean = race.values.length > 0 ? seriesOf(race.values).mean : screen.mean;
    if (mean > bar) {
      Object.assign(race, { heat: true, values: [], controls: [], look: 0, level: 0 });
      delete race.failed;
    } else
      endRace(draft, race, `race ended: ${formatVerdictNumber(mean * state.sign)} is not ahead of the new incumbent`);
  }
}

/** Counts races in which the incumbent's new runs were unlike its old ones. */
function noteDrift(draft: Draft, race: Race): void {
  const { state } = draft;
  const { values } = subjectOf(state, state.incumbentId);
  const old = values.slice(0, Math.max(0, values.length - race.controls.length));
  if (old.length < RACE_STAGES.length || race.controls.length < RACE_STAGES.length) return;
  state.raced += 1;
  if (Math.abs(tOf(race.controls, old).t) > 2.3) state.drifted += 1;
}

function endRace(draft: Draft, race: Race, reason: string | null): void {
  const { state } = draft;
  state.races = state.races.filter((other) => other !== race);
  state.effort -= race.values.length + race.controls.length + race.failures;
  if (reason !== null) discard(draft, subjectOf(state, race.candidateId), reason);
}
