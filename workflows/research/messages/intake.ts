import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import { tooLarge } from '../../../domain/messages.ts';
import { activitiesOf } from '../activities.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { wakeOverfull } from './overfull.ts';
import { refuse } from './refusal.ts';
import { addAlert, wake, type State } from '../state.ts';
import { foldMessages } from './turns.ts';

/** What is done with a signal's first argument, whatever it is. */
export type Handler = (raw?: unknown) => void | Promise<void>;

/** What messages of people share: the order in which they are acted on, and how a person hears of those that are not. */
export interface Intake {
  /** Of each message its own, the same when it is replayed. */
  key: () => string;
  /** Shown in the status and written down. */
  alert: (words: string) => Promise<void>;
  inbox: Inbox;
  /** One after the other. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** A cancel of the research does not cut a handler short: its failure would close the workflow before its last words. */
  withoutCancellation: <T>(handle: () => Promise<T>) => Promise<T>;
  /** Until the database knows the research; refused where it came to its end before. */
  opened: () => Promise<void>;
}

export function createIntake(state: State): Intake {
  const { quick } = activitiesOf(state.input.tempo ?? 1, 'a message of a person');
  const toItsEnd = <T>(handle: () => Promise<T>): Promise<T> =>
    CancellationScope.nonCancellable(async () => {
      try {
        return await handle();
      } finally {
        wakeOverfull(state);
      }
    });
  const openedOrClosing = (): Promise<void> => condition(() => state.opened || state.closing);
  const writeAlert = (message: string): Promise<void> =>
    toItsEnd(async () => {
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
    alert: (words) => {
      // A name that a person sent may be of any length.
      const message = words.slice(0, 1000);
      addAlert(state, message);
      wake(state);
      return foldAlerts(message);
    },
    inbox,
    inTurn: (work) => new Promise((resolve, reject) => void workOne(() => work().then(resolve, reject))),
    withoutCancellation: toItsEnd,
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

/** Nobody would look at it again. */
export function refuseOnceOver(state: State): void {
  if (state.endReason !== null) throw refuse(`the research has ended: ${state.endReason}`);
}

const STOPPING = 'the research is stopping; start it again under its id when it has stopped';

export function refuseWhileStopping(state: State): void {
  if (state.stopping) throw refuse(STOPPING);
}
