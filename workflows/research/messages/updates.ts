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
import { refuseIfHistoryFull } from './people-signals.ts';
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
  const onUpdate = <T, R>(name: string, schema: Schema<T>, act: (args: T, raw: unknown) => Promise<R>): void =>
    setHandler(
      defineUpdate<R, [unknown]>(name),
      (raw) =>
        withoutCancellation(() =>
          unwrapRefusal(async () => {
            const args = parseOrThrow(schema, raw);
            return onceOpened(() => {
              refuseOnceOver(state);
              return act(args, raw);
            });
          }),
        ),
      { validator: (raw) => void parseOrThrow(schema, raw) },
    );

  onUpdate(UPDATES.changeTask, ChangeTaskArgs, async (args) => {
    refuseTooLarge(args);
    const change = { task: args.task, key: key() };
    return runBeforeTrials(state, () => inTurn(() => changeTask(state, change)));
  });
  onUpdate(UPDATES.setWindow, SetWindowArgs, async ({ window }) => {
    state.fixedWindow = window === 'auto' ? null : window;
    state.windowUnheard = true;
    wake(state);
    return { window: currentWindow(state), fixed: state.fixedWindow !== null };
  });
  onUpdate(UPDATES.setBudget, SetBudgetArgs, async (budget) => {
    const changed = await quick.setBudget({ researchId, budget });
    state.whenSpent = changed.whenSpent;
    state.spent = null;
    wake(state);
    return changed;
  });
  onUpdate(UPDATES.overrideVerdict, OverrideVerdictArgs, async (args) => {
    await quick.overrideVerdict({ ...args, researchId });
    wake(state);
    return { n: args.n, verdict: args.verdict };
  });
  onUpdate(UPDATES.ablate, AblateArgs, async (args) => {
    refuseWhileStopping(state);
    const requested = { ...args, researchId, key: key() };
    return runBeforeTrials(state, async () => {
      const result = await quick.ablate(requested);
      wake(state);
      return result;
    });
  });
  onUpdate(UPDATES.inject, InjectOnceArgs, async (args, raw) => {
    refuseTooLarge(args);
    refuseWhileStopping(state);
    const isAltered = typeof raw === 'object' && raw !== null && altered.has(raw);
    const proposal = { ...args, researchId, key: args.key ?? key(), altered: isAltered };
    return runBeforeTrials(state, () =>
      inTurn(async () => {
        refuseIfHistoryFull([args]);
        return slow.injectOnce(proposal);
      }),
    );
  });
}
