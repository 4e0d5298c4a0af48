import { defineUpdate, setHandler } from '@temporalio/workflow';
import {
  AblateArgs,
  ChangeTaskArgs,
  InjectOnceArgs,
  OverrideVerdictArgs,
  SetBudgetArgs,
  SetWindowArgs,
  UPDATES,
} from '../../../domain/messages.ts';
import { altered } from '../../altered.ts';
import { activitiesOf } from '../activities.ts';
import { changeTask } from '../change-task.ts';
import { refuseOnceOver, refuseTooLarge, refuseWhileStopping, type Intake } from './intake.ts';
import { refuseIfHistoryFull, type Message } from './people-signals.ts';
import { parseSender, senderField } from '../../../domain/messages/sender.ts';
import { parseOrThrow, unwrapRefusal, type Schema } from './refusal.ts';
import { currentWindow, runBeforeTrials, wake, type State } from '../state.ts';

/**
 * Registers the updates, whose answers people wait for. Arguments that cannot be parsed are rejected before the
 * history.
 */
export function registerUpdates(state: State, { key, inTurn, withoutCancellation, opened }: Intake): void {
  const { quick, slow } = activitiesOf(state.input.tempo ?? 1, 'message from a person');
  const researchId = state.id;
  /** Runs an action once the research is open, and before its first trial. */
  const onceOpened = async <R>(act: () => Promise<R>): Promise<R> => {
    if (state.opened) return act();
    return runBeforeTrials(state, () => opened().then(act));
  };
  const onUpdate = <T, R>(name: string, schema: Schema<T>, act: (args: T, message: Message) => Promise<R>): void =>
    setHandler(
      defineUpdate<R, [unknown, unknown]>(name),
      (raw, sender) =>
        withoutCancellation(() =>
          unwrapRefusal(async () => {
            const args = parseOrThrow(schema, raw);
            return onceOpened(() => {
              refuseOnceOver(state);
              return act(args, { raw, sender: parseSender(sender) });
            });
          }),
        ),
      { validator: (raw, _sender) => void parseOrThrow(schema, raw) },
    );

  onUpdate(UPDATES.changeTask, ChangeTaskArgs, async (args, { sender }) => {
    refuseTooLarge(args);
    const change = { task: args.task, key: key(), ...senderField(sender) };
    return runBeforeTrials(state, () => inTurn(() => changeTask(state, change)));
  });
  onUpdate(UPDATES.setWindow, SetWindowArgs, async ({ window }, { sender }) => {
    state.fixedWindow = window === 'auto' ? null : window;
    state.windowUnheard = true;
    state.senders.window = sender;
    wake(state);
    return { window: currentWindow(state), fixed: state.fixedWindow !== null };
  });
  onUpdate(UPDATES.setBudget, SetBudgetArgs, async (budget, { sender }) => {
    const changed = await quick.setBudget({ researchId, budget, ...senderField(sender) });
    state.whenSpent = changed.whenSpent;
    state.spent = null;
    wake(state);
    return changed;
  });
  onUpdate(UPDATES.overrideVerdict, OverrideVerdictArgs, async (args, { sender }) => {
    await quick.overrideVerdict({ ...args, researchId, ...senderField(sender) });
    wake(state);
    return { n: args.n, verdict: args.verdict };
  });
  onUpdate(UPDATES.ablate, AblateArgs, async (args, { sender }) => {
    refuseWhileStopping(state);
    const requested = { ...args, researchId, key: key(), ...senderField(sender) };
    return runBeforeTrials(state, async () => {
      const result = await quick.ablate(requested);
      wake(state);
      return result;
    });
  });
  onUpdate(UPDATES.inject, InjectOnceArgs, async (args, { raw, sender }) => {
    refuseTooLarge(args);
    refuseWhileStopping(state);
    const isAltered = typeof raw === 'object' && raw !== null && altered.has(raw);
    const proposal = { ...args, researchId, key: args.key ?? key(), altered: isAltered, ...senderField(sender) };
    return runBeforeTrials(state, () =>
      inTurn(async () => {
        refuseIfHistoryFull([args]);
        return slow.injectOnce(proposal);
      }),
    );
  });
}
