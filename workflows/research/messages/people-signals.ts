import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import {
  ChangeTaskArgs,
  InjectArgs,
  NoArgs,
  NoteArgs,
  SIGNALS,
  StopArgs,
  type Inject,
} from '../../../domain/messages.ts';
import { jsonBytes } from '../../../domain/json/json-bytes.ts';
import { isHistoryFull } from '../../../domain/research/continue-as-new.ts';
import { altered } from '../../altered.ts';
import { activitiesOf } from '../activities.ts';
import { cancelTrials } from '../cancel-trials.ts';
import { changeTask } from '../change-task.ts';
import type { BatchHandler } from './inbox.ts';
import { refuseOnceOver, refuseTooLarge, refuseWhileStopping, type Handler, type Intake } from './intake.ts';
import { readArguments, refusalOf, refuse, type Schema } from './refusal.ts';
import { endWait, pauseClock, resumeClock, wake, type State } from '../state.ts';

/** Creates the handlers of signals from people. A signal that cannot be parsed, or is refused, causes an alert. */
export function createPeopleHandlers(state: State, intake: Intake): Map<string, Handler> {
  const { slow } = activitiesOf(state.input.tempo ?? 1, 'message from a person');
  const { alert, key, inbox, opened } = intake;
  const researchId = state.id;
  const handlers = new Map<string, Handler>();

  const alertRefusal = (name: string, error: unknown): Promise<void> => {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return alert(`signal ${name} refused: ${refusal.message}`);
  };
  const onSignal = <T>(
    name: string,
    schema: Schema<T>,
    act: (args: T, raw: unknown) => void | Promise<void>,
  ): unknown =>
    handlers.set(name, (raw) => {
      const read = readArguments(schema, raw);
      if ('ignored' in read) return alert(`signal ${name} ignored: ${read.ignored}`);
      try {
        return act(read.args, raw);
      } catch (error) {
        return alertRefusal(name, error);
      }
    });
  /** Registers a handler for batches of one kind of signals. */
  const gather = <T>(name: string, work: BatchHandler<T>, afterwards?: (count: number) => void) =>
    inbox<T>(async (messages) => {
      try {
        if (!state.opened) await opened();
        refuseIfHistoryFull(messages);
        await work(messages);
      } catch (error) {
        await alertRefusal(name, error);
      } finally {
        afterwards?.(messages.length);
      }
    });
  /** The same for signals that decide on the next trials: no trial is admitted before they are handled. */
  const gatherFirst = <T>(name: string, work: BatchHandler<T>) => {
    const put = gather(name, work, (count) => {
      state.messagesBeforeTrials -= count;
      wake(state);
    });
    return (message: T): Promise<void> => {
      state.messagesBeforeTrials += 1;
      return put(message);
    };
  };

  onSignal(SIGNALS.pause, NoArgs, () => {
    refuseWhileStopping(state);
    state.paused = true;
    pauseClock(state);
    wake(state);
  });
  onSignal(SIGNALS.resume, NoArgs, () => {
    refuseWhileStopping(state);
    state.paused = false;
    state.retries = true;
    endWait(state);
    resumeClock(state);
    wake(state);
  });
  onSignal(SIGNALS.stop, StopArgs, ({ now }) => {
    const isStoppingNow = state.stopping === 'now';
    state.stopping = now || isStoppingNow ? 'now' : 'drain';
    wake(state);
    if (!now || isStoppingNow) return;
    return CancellationScope.nonCancellable(() => cancelTrials(state));
  });

  // If several changes wait, only the last one that succeeds is carried out.
  const changeTaskLast = gatherFirst<{ task: string; key: string }>(SIGNALS.changeTask, async (changes) => {
    refuseOnceOver(state);
    for (const [at, change] of [...changes.entries()].reverse())
      try {
        await changeTask(state, change);
        if (at > 0)
          await alert(
            `signal ${SIGNALS.changeTask}: ${changes.length} task changes were waiting: the last valid one ` +
              `(number ${at + 1}) was applied; earlier ones were skipped`,
          );
        return;
      } catch (error) {
        await alertRefusal(SIGNALS.changeTask, error);
      }
  });
  onSignal(SIGNALS.changeTask, ChangeTaskArgs, ({ task }) => {
    refuseTooLarge({ task });
    return changeTaskLast({ task, key: key() });
  });

  const addNotes = gather<{ id: string; text: string }>(SIGNALS.note, (notes) => slow.addNotes({ researchId, notes }));
  onSignal(SIGNALS.note, NoteArgs, ({ text }) => addNotes({ id: key(), text }));

  const injectAll = gatherFirst<Inject & { key: string; altered: boolean }>(SIGNALS.inject, async (proposals) => {
    const refused = await slow.injectProposals({ researchId, proposals });
    await Promise.all(refused.map((why) => alert(`signal ${SIGNALS.inject} refused: ${why}`)));
  });
  onSignal(SIGNALS.inject, InjectArgs, (args, raw) => {
    refuseTooLarge(args);
    return injectAll({ ...args, key: key(), altered: typeof raw === 'object' && raw !== null && altered.has(raw) });
  });

  return handlers;
}

/**
 * Refuses messages if they could make the history so long or large that the server ends the workflow. Their content
 * enters the history a second time, as input of an activity.
 */
export function refuseIfHistoryFull(messages: readonly unknown[]): void {
  const { historyLength, historySize } = workflowInfo();
  const bytes = messages.reduce<number>((sum, message) => sum + jsonBytes(message), 0);
  if (isHistoryFull({ historyLength, historySize: historySize + bytes }))
    throw refuse(`too many messages at once (${messages.length} of these were dropped); send them again in parts`);
}
