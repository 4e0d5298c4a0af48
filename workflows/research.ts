import {
  allHandlersFinished,
  CancellationScope,
  isCancellation,
  condition,
  makeContinueAsNewFunc,
  proxySinks,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { parseSender } from '../domain/messages/sender.ts';
import { shouldContinueAsNew, isWorkflowRunLongEnough, WORKFLOW_TASK_MS } from '../domain/research/continue-as-new.ts';
import { resizedWindow } from '../domain/window/window.ts';
import { activitiesOf } from './research/activities.ts';
import { cancelTrials, endUnstarted } from './research/cancel-trials.ts';
import { fillKnobs } from './research/fill-knobs.ts';
import { registerHandlers } from './research/messages/handlers.ts';
import { parseInput, type ResearchInput, type ResearchResult } from './research/input.ts';
import { open, closeUnopened } from './research/open.ts';
import { isOverfull } from './research/messages/overfull.ts';
import { publish, record, publishTrialCount } from './research/present.ts';
import { pauseProposals, startTrial, startTrials } from './research/start-trials.ts';
import { bankTime, carryOf, countEnded, createState, phaseOf, wake, type State } from './research/state.ts';
import { writeFloorMemo } from './write-floor-memo.ts';
import { reconcileEvery } from './timeouts.ts';

/** Reports steps that write no event to the worker, so that tests can kill it there. */
const { steps } = proxySinks<{ steps: { handingOver(): void } }>();

/** Runs the loop of one research: keeps the window full, counts ended trials, and continues as new. */
export async function research(raw: unknown, sender?: unknown): Promise<ResearchResult> {
  writeFloorMemo();
  const input = parseInput(raw);
  const state = createState(input, parseSender(sender));
  registerHandlers(state);
  try {
    if (input.carry) await takeCharge(state);
    else await open(state);
    const reconciling = reconcileForever(state);
    const reason = await Promise.race([loop(state), reconciling]);
    if (reason === CONTINUE_AS_NEW) return await continueResearchAsNew(state);
    return await end(state, reason);
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancelled(state));
    else if (error instanceof TemporalFailure && !state.opened)
      await CancellationScope.nonCancellable(() => closeUnopened(state, error));
    throw error;
  }
}

async function end(state: State, reason: string): Promise<ResearchResult> {
  state.endReason = reason;
  state.closing = true;
  // A reconciliation under way would still store that the research runs.
  await condition(() => !state.reconciling);
  await publish(state);
  await condition(allHandlersFinished);
  return { reason, trials: state.ended, board: state.board };
}

/** Ends a cancelled research, like `stop` with `now`, but without waiting for the ends of its trials. */
async function cancelled(state: State): Promise<void> {
  await cancelTrials(state);
  await endUnstarted(state);
  await end(state, 'cancelled by a person');
}

const CONTINUE_AS_NEW = 'continue as new';

/** Runs until a person or the budget ends the research, or it should continue as new. Returns the reason. */
async function loop(state: State): Promise<string> {
  /** True if only the end of one trial has come in since the loop began to wait. */
  let isEndOfOne = false;
  for (;;) {
    const { version, ended } = state;
    if (state.stopping && state.inflight.size === 0) return 'stopped by a person';
    if (state.input.check === true && state.ended > 0 && state.inflight.size === 0) return 'checked';
    if (isLong(state) && mayContinueAsNew(state, isEndOfOne)) return CONTINUE_AS_NEW;
    isEndOfOne = false;
    const started = await startTrials(state);
    if (started && state.stopping === 'now') await cancelTrials(state);
    await publish(state);
    if (started || state.version !== version) continue;
    if (isSpent(state)) {
      // A message under way may raise the budget or want a run.
      await condition(allHandlersFinished);
      if (state.version === version) return state.spent ?? 'the budget is spent';
      continue;
    }
    await condition(() => state.version !== version);
    isEndOfOne = state.version === version + 1 && state.ended === ended + 1;
  }
}

/** True if no trial is under way, wanted or due, no update is due, and the budget allows no more. */
const isSpent = (state: State): boolean =>
  state.blocked === null &&
  !state.held &&
  state.spent !== null &&
  state.whenSpent === 'stop' &&
  state.inflight.size === 0 &&
  state.due === null &&
  !state.paused &&
  !state.stopping;

/** True if this run, or its history, is long enough to continue as new. */
function isLong(state: State): boolean {
  const { historyLength, continueAsNewSuggested, runStartTime } = workflowInfo();
  const limit = state.input.maxHistory;
  return (
    continueAsNewSuggested ||
    isWorkflowRunLongEnough({
      trials: state.startedHere,
      ms: Date.now() - runStartTime.getTime(),
      events: historyLength,
    }) ||
    (limit !== undefined && historyLength >= limit) ||
    isOverfull()
  );
}

/** True if the moment is quiet enough to continue as new, or the history too long to wait for one. */
function mayContinueAsNew(state: State, isEndOfOne: boolean): boolean {
  const { historyLength, historySize } = workflowInfo();
  const quiet = isEndOfOne && !state.reconciling && allHandlersFinished();
  return shouldContinueAsNew({ quiet, inflight: state.inflight.size, historyLength, historySize });
}

/** Reconciles on a timer, and after a trial closed without a result. Then wakes the loop, which may be waiting. */
async function reconcileForever(state: State): Promise<never> {
  for (;;) {
    await condition(() => state.reconcileDue, reconcileEvery(state.input.tempo ?? 1));
    if (state.closing) await condition(() => false);
    state.reconcileDue = false;
    bankTime(state);
    state.reconciling = true;
    try {
      await reconcile(state);
      if (state.stopping === 'now') await cancelTrials(state);
      await record(state, phaseOf(state));
      publishTrialCount(state);
    } finally {
      state.reconciling = false;
    }
    wake(state);
  }
}

/** Takes charge of the research after continue-as-new: from the stored run id on, ending trials signal this run. */
async function takeCharge(state: State): Promise<void> {
  const pauseSeconds = (state.pacedUntil - Date.now()) / 1000;
  if (pauseSeconds > 0) pauseProposals(state, pauseSeconds);
  await reconcile(state, { runId: workflowInfo().runId });
  if (state.stopping === 'now') await cancelTrials(state);
}

/**
 * Counts trials whose end was not reported, and starts trials that Temporal lost or an interrupted admission left
 * behind.
 */
async function reconcile(state: State, charge: { runId?: string } = {}): Promise<void> {
  const { look } = activitiesOf(state.input.tempo ?? 1, `reconcile, ${state.inflight.size} under way`);
  const ns = [...state.inflight.keys()];
  const { pool } = state;
  const { ended, missing, endpointDown, slots, unread } = await look.reconcile({
    researchId: state.id,
    ns,
    pool,
    ...charge,
  });
  ended.forEach((trial) => countEnded(state, trial));
  state.endpointDown = endpointDown;
  if (unread) void fillKnobs(state);
  // The size of a fleet changes. If a change of task has set another pool meanwhile, the count is of the old one.
  if (pool === state.pool) state.window = resizedWindow(state.window, slots);
  const idle = state.closing || state.paused;
  // During the activity, trials may have ended or started.
  const open = missing.filter(({ n }) => (ns.includes(n) ? state.inflight.has(n) : !idle && !state.seen.has(n)));
  await Promise.all(open.map((spec) => startTrial(state, spec, { adopted: true })));
}

/** Continues as new. Trials in flight go on; the next run receives their ids and waits for their signals. */
async function continueResearchAsNew(state: State): Promise<never> {
  state.closing = true;
  await condition(() => !state.reconciling && allHandlersFinished());
  steps.handingOver();
  const input: ResearchInput = { ...state.input, carry: carryOf(state) };
  // The server does not copy the memo to the next run.
  const memo = workflowInfo().memo ?? {};
  return makeContinueAsNewFunc<typeof research>({ workflowTaskTimeout: WORKFLOW_TASK_MS, memo })(input);
}
