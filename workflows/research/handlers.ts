import {
  ApplicationFailure,
  CancellationScope,
  defineQuery,
  defineSignal,
  defineUpdate,
  getExternalWorkflowHandle,
  log,
  patched,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  ChangeTaskArgs,
  describeIssue,
  InjectArgs,
  NoArgs,
  NoteArgs,
  OverrideVerdictArgs,
  QUERIES,
  SetBudgetArgs,
  SetWindowArgs,
  SIGNALS,
  StopArgs,
  UPDATES,
} from '../../domain/messages.ts';
import type { TrialEnded, TrialSpec } from '../../domain/trial.ts';
import { tooLarge } from '../../domain/message-limits.ts';
import { activitiesOf } from './activities.ts';
import { isOverfull } from './overfull.ts';
import {
  countEnded,
  currentWindow,
  endWait,
  pauseClock,
  phaseOf,
  remember,
  resumeClock,
  wake,
  type State,
} from './state.ts';
import { foldMessages, takeTurns } from './turns.ts';

/** The part of a zod schema that a handler needs. */
interface Schema<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: Parameters<typeof describeIssue>[0] };
}

/** Registers every signal, update and query; first thing in the workflow, so that no buffered message is lost. */
export function registerHandlers(state: State): void {
  const { quick, slow } = activitiesOf(state.input.tempo ?? 1, 'a message of a person');
  const researchId = state.id;
  const key = (): string => `${workflowInfo().runId}/${(state.messages += 1)}`;

  const turns = takeTurns();
  /** One after the other: what is said on at once must fit into one message to the server, and came in as many. */
  const inTurn = <T>(work: () => Promise<T>, isInTurn = patched('all-in-turn')): Promise<T> =>
    // Histories from before said all on at once.
    isInTurn ? turns(work) : work();
  const writeAlert = (message: string): Promise<void> => quick.alert({ researchId, message });
  const foldAlerts = foldMessages(writeAlert);
  const alert = async (words: string): Promise<void> => {
    // A name or key that a person sent may be of any length.
    const message = words.slice(0, 1000);
    remember(state, message);
    wake(state);
    await (patched('all-in-turn') ? foldAlerts(message) : writeAlert(message));
  };
  /** A cancel of the research does not cut a handler short: its failure would close the workflow before its last words. */
  const toItsEnd =
    <A extends unknown[], R>(handle: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      CancellationScope.nonCancellable(async () => {
        try {
          return await handle(...args);
        } finally {
          // A message that changes nothing may still be the one that makes the history too large.
          if (isOverfull()) wake(state);
        }
      });
  /** A signal that cannot be understood never fails the workflow: it is ignored, and shown. */
  const onSignal = <T>(name: string, schema: Schema<T>, act: (args: T) => void | Promise<void>): void =>
    setHandler(
      defineSignal<[unknown]>(name),
      toItsEnd(async (raw) => {
        const parsed = schema.safeParse(raw ?? undefined);
        if (!parsed.success) return alert(`signal ${name} ignored: ${describeIssue(parsed.error, raw)}`);
        try {
          await act(parsed.data);
        } catch (error) {
          const refusal = refusalOf(error);
          if (!refusal) throw error;
          await alert(`signal ${name} refused: ${refusal.message}`);
        }
      }),
    );
  const onUpdate = <T, R>(name: string, schema: Schema<T>, act: (args: T) => Promise<R>): void =>
    setHandler(
      defineUpdate<R, [unknown]>(name),
      toItsEnd((raw) => refusing(() => act(parseOrThrow(schema, raw)))),
      { validator: (raw) => void parseOrThrow(schema, raw) },
    );

  const refuseTooLarge = (args: object): void => {
    const why = tooLarge(args);
    if (why !== null && patched('message-limits')) throw ApplicationFailure.nonRetryable(why, 'Refused');
  };
  const changeTask = async (args: { task: string }) => {
    refuseTooLarge(args);
    const change = { researchId, task: args.task, key: key() };
    const changed = await inTurn(() => slow.changeTask(change));
    state.taskName = changed.taskName;
    state.pool = changed.pool;
    wake(state);
    return changed;
  };

  const refuseWhileStopping = (): void => {
    // Histories from before took such a signal, to no effect.
    if (state.stopping && patched('a-stop-stays')) throw ApplicationFailure.nonRetryable(STOPPING, 'Refused');
  };
  onSignal(SIGNALS.pause, nothing, () => {
    refuseWhileStopping();
    state.paused = true;
    pauseClock(state);
    wake(state);
  });
  onSignal(SIGNALS.resume, nothing, () => {
    refuseWhileStopping();
    state.paused = false;
    endWait(state);
    resumeClock(state);
    wake(state);
  });
  onSignal(SIGNALS.stop, StopArgs, async ({ now }) => {
    const isAsked = state.stopping === 'now';
    state.stopping = now || isAsked ? 'now' : 'drain';
    wake(state);
    // Histories from before asked the trials again.
    if (now && !(isAsked && patched('asked-once'))) await cancelTrials(state);
  });
  onSignal(SIGNALS.changeTask, ChangeTaskArgs, async (args) => void (await changeTask(args)));
  onSignal(SIGNALS.note, NoteArgs, ({ text }) => {
    const note = { id: key(), researchId, text };
    return inTurn(() => quick.addNote(note));
  });
  onSignal(SIGNALS.inject, InjectArgs, async (args) => {
    refuseTooLarge(args);
    const proposal = { ...args, researchId, key: key() };
    await inTurn(() => slow.injectProposal(proposal), patched('in-turn'));
    wake(state);
  });
  // Not behind what people ask, which may take long.
  const ends = takeTurns();
  const findEnded = async (n: number): Promise<void> => {
    // One of many that told of the same end may have been before.
    if (state.inflight.has(n))
      (await quick.findEnded({ researchId, ns: [n] })).forEach((ended) => countEnded(state, ended));
  };
  setHandler(
    defineSignal<[unknown]>(SIGNALS.trialEnded),
    toItsEnd(async (raw) => {
      // Whoever sends it, the database is asked.
      if (!isTrialEnded(raw))
        await alert(`signal ${SIGNALS.trialEnded} ignored: expected { n, status, … } from a trial`);
      else if (state.inflight.has(raw.n))
        await (patched('all-in-turn') ? ends(() => findEnded(raw.n)) : findEnded(raw.n));
    }),
  );
  setDefaultSignalHandler(toItsEnd((name) => alert(`signal ${name} ignored: expected one of ${PUBLIC_SIGNALS}`)));

  onUpdate(UPDATES.changeTask, ChangeTaskArgs, changeTask);
  onUpdate(UPDATES.setWindow, SetWindowArgs, async ({ window }) => {
    state.fixedWindow = window === 'auto' ? null : window;
    // Histories from before go on without this write.
    state.windowUnheard = patched('window-published');
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

  setHandler(defineQuery(QUERIES.status), () => statusOf(state));
  setHandler(defineQuery(QUERIES.best), () => state.board?.best ?? null);
}

const STOPPING = 'the research is stopping; start it again under its id when it has stopped';

const PUBLIC_SIGNALS = Object.values(SIGNALS)
  .filter((name) => name !== SIGNALS.trialEnded)
  .join(', ');

/** No arguments; histories from before took whatever came. */
const nothing: Schema<unknown> = {
  safeParse: (data) => {
    const parsed = NoArgs.safeParse(data);
    return parsed.success || patched('pause-takes-nothing') ? parsed : { success: true, data };
  },
};

function parseOrThrow<T>(schema: Schema<T>, raw: unknown): T {
  const parsed = schema.safeParse(raw ?? undefined);
  if (parsed.success) return parsed.data;
  // A key that a person sent may be of any length.
  throw ApplicationFailure.nonRetryable(describeIssue(parsed.error, raw).slice(0, 1000), 'BadArguments');
}

/** What an activity, or a handler itself, refused on purpose; anything else is a bug and must show. */
function refusalOf(error: unknown): ApplicationFailure | undefined {
  const failure = error instanceof Error && error.cause instanceof ApplicationFailure ? error.cause : error;
  return failure instanceof ApplicationFailure && failure.nonRetryable === true ? failure : undefined;
}

/** Hands on a refusal in the activity's own words; wrapped, a person would read "Activity task failed". */
async function refusing<R>(act: () => Promise<R>): Promise<R> {
  try {
    return await act();
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

function isTrialEnded(raw: unknown): raw is TrialEnded {
  const ended = raw as Partial<TrialEnded> | null;
  return typeof ended === 'object' && ended !== null && Number.isInteger(ended.n) && typeof ended.status === 'string';
}

/** Asks every trial in flight to stop; one that closed meanwhile is no error. */
export const cancelTrials = (state: State): Promise<void> => cancelAll([...state.inflight.values()]);

export async function cancelAll(trials: readonly TrialSpec[]): Promise<void> {
  await Promise.all(
    trials.map(async ({ trialId }) => {
      try {
        await getExternalWorkflowHandle(trialId).cancel();
      } catch (error) {
        log.info('a trial closed before it could be cancelled', { trialId, error: String(error) });
      }
    }),
  );
}

/** What the `status` query answers. */
export function statusOf(state: State) {
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
