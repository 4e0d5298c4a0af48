import { defineQuery, setHandler } from '@temporalio/workflow';
import { QUERIES } from '../../../domain/messages.ts';
import { createIntake } from './intake.ts';
import { registerSignals } from './signals.ts';
import { currentWindow, phaseOf, type State } from '../state.ts';
import { registerUpdates } from './updates.ts';

/** Registers every signal, update and query; first thing in the workflow, so that no buffered message is lost. */
export function registerHandlers(state: State): void {
  const intake = createIntake(state);
  registerSignals(state, intake);
  registerUpdates(state, intake);
  setHandler(defineQuery(QUERIES.status), () => statusOf(state));
  setHandler(defineQuery(QUERIES.best), () => state.board?.best ?? null);
}

/** What the `status` query answers. */
function statusOf(state: State) {
  return {
    workflowId: state.id,
    task: state.taskName,
    ...phaseOf(state),
    window: currentWindow(state),
    windowFixed: state.fixedWindow !== null,
    running: [...state.inflight.keys()],
    started: state.started,
    ended: state.ended,
    spent: state.spent,
    board: state.board,
    alerts: state.alerts,
  };
}
