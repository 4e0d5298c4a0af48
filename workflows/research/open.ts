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

/** Opens the research in the database and adopts its unfinished trials. */
export async function open(state: State): Promise<void> {
  const { input } = state;
  const { slowUntilEnd } = activitiesOf(input.tempo ?? 1, `open ${input.task}`.slice(0, 100));
  const opened = await slowUntilEnd
    .openResearch({
      researchId: state.id,
      runId: workflowInfo().runId,
      task: input.task,
      ...(input.proposer ? { proposer: input.proposer } : {}),
      ...overridesIn(input),
      ...(input.budget ? { budget: input.budget } : {}),
      ...(input.seed === undefined ? {} : { seed: input.seed }),
      ...(input.memoryFrom === undefined ? {} : { memoryFrom: input.memoryFrom }),
      ...(input.notify === undefined ? {} : { notify: input.notify }),
      ...(input.check ? { check: input.check } : {}),
    })
    .catch((error: unknown) => {
      // If a worker dies during a cancelled activity, the activity ends by its timeout, not as cancelled.
      throwIfCancelled();
      throw error;
    });
  state.opened = true;
  throwIfCancelled();
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
  // The stop may have come before there were trials to cancel.
  if (state.stopping === 'now') await cancelTrials(state);
}

/** Overrides of the task's values in the input. */
function overridesIn({ search, abort, keep }: ResearchInput): { overrides?: Record<string, unknown> } {
  const given = Object.entries({ search, abort, keep }).filter(([, values]) => values !== undefined);
  return given.length === 0 ? {} : { overrides: Object.fromEntries(given) };
}

/** Throws if the research was cancelled while it was opened, so that no trial begins. */
function throwIfCancelled(): void {
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled while it was opened');
}

/** Closes a research that cannot be opened, after waiting messages have been refused with the reason. */
export async function closeUnopened(state: State, error: unknown): Promise<void> {
  state.endReason = rootCause(error) ?? String(error);
  state.closing = true;
  await condition(allHandlersFinished);
}
