import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import type { Sender } from '../../../domain/messages/sender.ts';
import { tooLarge } from '../../../domain/messages.ts';
import { activitiesOf } from '../activities.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { wakeOverfull } from './overfull.ts';
import { refuse } from './refusal.ts';
import { addAlert, wake, type State } from '../state.ts';
import { foldMessages } from './turns.ts';

/** Handles a signal, by its unchecked first argument and its sender. */
export type Handler = (raw: unknown, sender: Sender | null) => void | Promise<void>;

/** Functions that all messages of people share: their order, and alerts about messages that are refused. */
export interface Intake {
  /** Returns a new key for each message, the same on replay. */
  key: () => string;
  /** Shows a message in the status and stores it as an alert. */
  alert: (text: string) => Promise<void>;
  inbox: Inbox;
  /** Runs work after all earlier work of the inbox. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Runs a handler that a cancel of the research does not stop: a failed handler would close the workflow before it has
   * stored the end of the research.
   */
  withoutCancellation: <T>(handle: () => Promise<T>) => Promise<T>;
  /** Waits until the database knows the research. Refuses the message if the research ended before. */
  opened: () => Promise<void>;
}

export function createIntake(state: State): Intake {
  const { quick } = activitiesOf(state.input.tempo ?? 1, 'message from a person');
  const withoutCancellation = <T>(handle: () => Promise<T>): Promise<T> =>
    CancellationScope.nonCancellable(async () => {
      try {
        return await handle();
      } finally {
        wakeOverfull(state);
      }
    });
  const openedOrClosing = (): Promise<void> => condition(() => state.opened || state.closing);
  const writeAlert = (message: string): Promise<void> =>
    withoutCancellation(async () => {
      if (!state.opened) await openedOrClosing();
      await quick.alert({ researchId: state.id, message });
    });
  const foldAlerts = foldMessages(writeAlert);
  const inbox = createInbox(() => wakeOverfull(state));
  const workOne = inbox<() => Promise<void>>(async (works) => {
    for (const work of works) await work();
  });
  return {
    key: () => `${workflowInfo().runId}/${(state.messages += 1)}`,
    alert: (text) => {
      // The text may contain a name from a person, of any length.
      const message = text.slice(0, 1000);
      addAlert(state, message);
      wake(state);
      return foldAlerts(message);
    },
    inbox,
    inTurn: (work) => new Promise((resolve, reject) => void workOne(() => work().then(resolve, reject))),
    withoutCancellation,
    opened: async () => {
      await openedOrClosing();
      if (!state.opened) throw refuse(`the research was not opened: ${state.endReason}`);
    },
  };
}

export function refuseTooLarge(args: object): void {
  const why = tooLarge(args);
  if (why !== null) throw refuse(why);
}

/** Refuses a message after the end of the research, when nothing would act on it. */
export function refuseOnceOver(state: State): void {
  if (state.endReason !== null) throw refuse(`the research has ended: ${state.endReason}`);
}

const STOPPING = 'the research is stopping; start it again under its id when it has stopped';

export function refuseWhileStopping(state: State): void {
  if (state.stopping) throw refuse(STOPPING);
}
