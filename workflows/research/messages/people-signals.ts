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

/** What people send without waiting for an answer. One that cannot be understood or is refused is shown and ends nothing. */
export function createPeopleHandlers(state: State, intake: Intake): Map<string, Handler> {
  const { slow } = activitiesOf(state.input.tempo ?? 1, 'a message of a person');
  const { alert, key, inbox, opened } = intake;
  const researchId = state.id;
  const handlers = new Map<string, Handler>();

  const tell = (name: string, error: unknown): Promise<void> => {
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
        return tell(name, error);
      }
    });
  /** Signals of one kind that are worked on together. */
  const gather = <T>(name: string, work: BatchHandler<T>, afterwards?: (count: number) => void) =>
    inbox<T>(async (letters) => {
      try {
        if (!state.opened) await opened();
        refuseWhereFull(letters);
        await work(letters);
      } catch (error) {
        await tell(name, error);
      } finally {
        afterwards?.(letters.length);
      }
    });
  /** Those that say what the next trials are: none is admitted before. */
  const gatherFirst = <T>(name: string, work: BatchHandler<T>) => {
    const put = gather(name, work, (count) => {
      state.messagesBeforeTrials -= count;
      wake(state);
    });
    return (letter: T): Promise<void> => {
      state.messagesBeforeTrials += 1;
      return put(letter);
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
    endWait(state);
    resumeClock(state);
    wake(state);
  });
  onSignal(SIGNALS.stop, StopArgs, ({ now }) => {
    const isAsked = state.stopping === 'now';
    state.stopping = now || isAsked ? 'now' : 'drain';
    wake(state);
    if (!now || isAsked) return;
    return CancellationScope.nonCancellable(() => cancelTrials(state));
  });

  const changeTaskLast = gatherFirst<{ task: string; key: string }>(SIGNALS.changeTask, async (changes) => {
    refuseOnceOver(state);
    for (const [at, change] of [...changes.entries()].reverse())
      try {
        await changeTask(state, change);
        if (at > 0)
          await alert(`signal ${SIGNALS.changeTask}: of ${changes.length} that waited, number ${at + 1} is followed`);
        return;
      } catch (error) {
        await tell(SIGNALS.changeTask, error);
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

/** The server ends a workflow whose history becomes too long or too large; what is handed on enters it once more. */
export function refuseWhereFull(letters: readonly unknown[]): void {
  const { historyLength, historySize } = workflowInfo();
  const bytes = letters.reduce<number>((sum, letter) => sum + jsonBytes(letter), 0);
  if (isHistoryFull({ historyLength, historySize: historySize + bytes }))
    throw refuse(`too much came at once (${letters.length} of these are left out); send it again, a part at a time`);
}
