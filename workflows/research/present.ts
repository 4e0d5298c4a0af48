import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Phase } from '../../domain/research/phase.ts';
import { activitiesOf } from './activities.ts';
import { knownOf, renderDetails } from './details.ts';
import { activeSecondsOf, currentWindow, phaseOf, timeless, type State } from './state.ts';

const TASK = defineSearchAttributeKey('PerpetuaTask', SearchAttributeType.KEYWORD);
const PHASE = defineSearchAttributeKey('PerpetuaPhase', SearchAttributeType.KEYWORD);
const BEST = defineSearchAttributeKey('PerpetuaBest', SearchAttributeType.DOUBLE);
const TRIALS = defineSearchAttributeKey('PerpetuaTrials', SearchAttributeType.INT);

/**
 * Publishes the state of the research: the details on every call, which is free; attributes and database only on a
 * change.
 */
export async function publish(state: State): Promise<void> {
  const { phase, reason } = phaseOf(state);
  setCurrentDetails(renderDetails(knownOf(state, { phase, reason }), state));
  const best = state.board?.best.mean ?? null;
  const shown = JSON.stringify([phase, timeless(reason), best, state.taskName]);
  if (shown === state.published && !state.windowUnheard) {
    // The messages changed nothing together, such as a pause and a resume in one workflow task.
    state.senders = { phase: null, window: null };
    return;
  }
  const before = state.published;
  state.published = shown;
  state.windowUnheard = false;
  if (state.searchAttributes && attributesOf(before) !== attributesOf(shown)) {
    state.publishedTrials = state.ended;
    upsertSearchAttributes([
      { key: TASK, value: state.taskName },
      { key: PHASE, value: phase },
      { key: TRIALS, value: state.ended },
      // Null removes a value, for example of another metric.
      { key: BEST, value: best },
    ]);
  }
  await record(state, { phase, reason });
}

/** Stores phase, window and active time in the database. */
export async function record(state: State, { phase, reason }: { phase: Phase; reason: string | null }): Promise<void> {
  const { senders } = state;
  state.senders = { phase: null, window: null };
  await activitiesOf(state.input.tempo ?? 1, phase).quick.recordPhase({
    researchId: state.id,
    phase,
    reason,
    window: currentWindow(state),
    activeSeconds: activeSecondsOf(state),
    ...(senders.phase === null && senders.window === null ? {} : { senders }),
  });
}

/**
 * Updates the count of trials in the search attributes. Called once per reconciliation, so that it writes few events.
 */
export function publishTrialCount(state: State): void {
  if (!state.searchAttributes || state.publishedTrials === state.ended) return;
  state.publishedTrials = state.ended;
  upsertSearchAttributes([{ key: TRIALS, value: state.ended }]);
}

/** The part of the published text that the search attributes show: all but the reason. */
function attributesOf(published: string): string {
  if (published === '') return '';
  const [phase, , ...others] = JSON.parse(published) as unknown[];
  return JSON.stringify([phase, ...others]);
}
