import { defineQuery, defineSignal, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import { QUERIES } from '../../../domain/messages.ts';
import { MANY_SIGNALS, SIGNALS, UPDATE_ENDED } from '../../../domain/messages/names.ts';
import { createIntake, type Intake } from './intake.ts';
import { parseSender } from '../../../domain/messages/sender.ts';
import { currentWindow, phaseOf, type State, wake } from '../state.ts';
import { registerUpdates } from './updates.ts';
import { createPeopleHandlers } from './people-signals.ts';
import { createTrialEndedHandler } from './trial-ended.ts';

/** Registers every signal, update and query. Called first in the workflow, so that no buffered message is lost. */
export function registerHandlers(state: State): void {
  const intake = createIntake(state);
  registerSignals(state, intake);
  registerUpdates(state, intake);
  setHandler(defineQuery(QUERIES.status), () => statusOf(state));
  setHandler(defineQuery(QUERIES.best), () => state.board?.best ?? null);
}

/** Registers every signal, single or batched by the interceptor. An unknown signal causes an alert. */
function registerSignals(state: State, intake: Intake): void {
  const handlers = createPeopleHandlers(state, intake);
  const signalsForPeople = [...handlers.keys()].join(', ');
  handlers.set(SIGNALS.trialEnded, createTrialEndedHandler(state, intake));
  handlers.set(UPDATE_ENDED, () => wake(state));
  const receive = (name: string, raw: unknown, sender: unknown): void | Promise<void> => {
    const handle = handlers.get(name);
    return handle
      ? handle(raw, parseSender(sender))
      : intake.alert(`signal ${name} ignored: expected one of ${signalsForPeople}`);
  };
  /** Receives batched signals, which only the interceptor makes: name, argument and sender of each. */
  const receiveMany = async (parts: readonly unknown[]): Promise<void> => {
    // Handlers of one batch mostly return the same promise; wait for it once.
    const handled = new Set<Promise<void>>();
    for (let at = 0; at < parts.length; at += 3) {
      const done = receive(parts[at] as string, parts[at + 1], parts[at + 2]);
      if (done) handled.add(done);
    }
    await Promise.all(handled);
  };
  const receiveAny = (name: string, ...args: unknown[]): void | Promise<void> =>
    name === MANY_SIGNALS ? receiveMany(args) : receive(name, args[0], args[1]);
  // The default handler first: on registration it receives all buffered signals in their order. The handlers below
  // would receive them grouped by name.
  setDefaultSignalHandler(receiveAny);
  for (const name of [...handlers.keys(), MANY_SIGNALS])
    setHandler(defineSignal<unknown[]>(name), (...args) => receiveAny(name, ...args));
}

/** The answer of the `status` query. */
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
