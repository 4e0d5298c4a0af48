import {
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  rootCause,
  workflowInfo,
} from '@temporalio/workflow';
import { initialWindow } from '../../domain/window/window.ts';
import { activitiesOf } from './activities.ts';
import { cancelTrials } from './cancel-trials.ts';
import { fillKnobs } from './fill-knobs.ts';
import type { ResearchInput } from './input.ts';
import { startTrial } from './start-trials.ts';
import { addAlert, type State } from './state.ts';

/** Opens the research in the database and adopts the trials that it left unfinished. */
export async function open(state: State): Promise<void> {
  const { input } = state;
  const { slowToItsEnd } = activitiesOf(input.tempo ?? 1, `open ${input.task}`.slice(0, 100));
  const opened = await slowToItsEnd
    .openResearch({
      researchId: state.id,
      runId: workflowInfo().runId,
      task: input.task,
      ...(input.proposer ? { proposer: input.proposer } : {}),
      ...overridesIn(input),
      ...(input.budget ? { budget: input.budget } : {}),
      ...(input.seed === undefined ? {} : { seed: input.seed }),
      ...(input.check ? { check: input.check } : {}),
    })
    .catch((error: unknown) => {
      // A worker that dies over a cancelled activity lets it time out.
      heedCancel();
      throw error;
    });
  state.opened = true;
  heedCancel();
  state.taskName = opened.taskName;
  state.pool = opened.pool;
  state.whenSpent = input.check ? 'stop' : opened.whenSpent;
  state.searchAttributes = opened.searchAttributes;
  opened.alerts.forEach((alert) => addAlert(state, alert));
  state.activeSeconds = opened.activeSeconds;
  state.window = initialWindow({ slots: opened.slots, ahead: opened.ahead });
  const window = input.window ?? opened.window;
  state.fixedWindow ??= window === 'auto' ? null : window;
  await Promise.all(opened.unfinished.map((spec) => startTrial(state, spec, { adopted: true })));
  if (opened.unread) void fillKnobs(state);
  // It was asked before there was any to cancel.
  if (state.stopping === 'now') await cancelTrials(state);
}

/** Values of the research's own that came with the input. */
function overridesIn({ search, abort, keep }: ResearchInput): { overrides?: Record<string, unknown> } {
  const given = Object.entries({ search, abort, keep }).filter(([, values]) => values !== undefined);
  return given.length === 0 ? {} : { overrides: Object.fromEntries(given) };
}

/** Of what was cancelled while it was opened nothing begins. */
function heedCancel(): void {
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled while it was opened');
}

/** It cannot be opened: who has asked it for something hears why. */
export async function closeUnopened(state: State, error: unknown): Promise<void> {
  state.endReason = rootCause(error) ?? String(error);
  state.closing = true;
  await condition(allHandlersFinished);
}
