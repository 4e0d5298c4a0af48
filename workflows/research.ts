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
import { shouldContinueAsNew, isRunLongEnough, WORKFLOW_TASK_MS } from '../domain/research/continue-as-new.ts';
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

/** Tells the worker of steps that leave no trace in history, so that tests can kill it there. */
const { steps } = proxySinks<{ steps: { handingOver(): void } }>();

/** The perpetual loop of one task: keeps the window full, counts what ends, and hands over to itself. */
export async function research(raw: unknown): Promise<ResearchResult> {
  writeFloorMemo();
  const input = parseInput(raw);
  const state = createState(input);
  registerHandlers(state);
  try {
    if (input.carry) await takeUp(state);
    else await open(state);
    const reconciling = reconcileForever(state);
    const reason = await Promise.race([loop(state), reconciling]);
    if (reason === HAND_OVER) return await handOver(state);
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
  // What it still writes would say that the research runs.
  await condition(() => !state.reconciling);
  await publish(state);
  await condition(allHandlersFinished);
  return { reason, trials: state.ended, board: state.board };
}

/** Cancelled from outside: the same as `stop` with `now`, but that nobody waits for the trials' ends. */
async function cancelled(state: State): Promise<void> {
  await cancelTrials(state);
  await endUnstarted(state);
  await end(state, 'cancelled by a person');
}

const HAND_OVER = 'hand over';

/** Runs until a person or the budget ends the research, or its history should be handed over; returns why. */
async function loop(state: State): Promise<string> {
  /** All that has come in since the loop began to wait is the end of one trial. */
  let isEndOfOne = false;
  for (;;) {
    const { version, ended } = state;
    if (state.stopping && state.inflight.size === 0) return 'stopped by a person';
    if (state.input.check === true && state.ended > 0 && state.inflight.size === 0) return 'checked';
    if (shouldHandOver(state) && mayHandOver(state, isEndOfOne)) return HAND_OVER;
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

/** Nothing under way, nothing wanted, nothing to learn from, and no budget for more. */
const isSpent = (state: State): boolean =>
  state.blocked === null &&
  !state.held &&
  state.spent !== null &&
  state.whenSpent === 'stop' &&
  state.inflight.size === 0 &&
  state.due === null &&
  !state.paused &&
  !state.stopping;

function shouldHandOver(state: State): boolean {
  const { historyLength, continueAsNewSuggested, runStartTime } = workflowInfo();
  const limit = state.input.maxHistory;
  return (
    continueAsNewSuggested ||
    isRunLongEnough({
      trials: state.startedHere,
      ms: Date.now() - runStartTime.getTime(),
      events: historyLength,
    }) ||
    (limit !== undefined && historyLength >= limit) ||
    isOverfull()
  );
}

function mayHandOver(state: State, isEndOfOne: boolean): boolean {
  const { historyLength, historySize } = workflowInfo();
  const quiet = isEndOfOne && !state.reconciling && allHandlersFinished();
  return shouldContinueAsNew({ quiet, inflight: state.inflight.size, historyLength, historySize });
}

/** On a timer, and when a trial closed without a word: mends what got lost, and wakes the loop where it only waits. */
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

/** The first act of a run after a hand-over: from here on it is in charge, and trials that end tell it. */
async function takeUp(state: State): Promise<void> {
  const left = (state.pacedUntil - Date.now()) / 1000;
  if (left > 0) pauseProposals(state, left);
  await reconcile(state, { runId: workflowInfo().runId });
  if (state.stopping === 'now') await cancelTrials(state);
}

/** Counts what ended unheard, and starts what Temporal forgot or an interrupted admission left behind. */
async function reconcile(state: State, charge: { runId?: string } = {}): Promise<void> {
  const { look } = activitiesOf(state.input.tempo ?? 1, `look, ${state.inflight.size} under way`);
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
  // A fleet grows and shrinks, and a change of task may name another pool.
  if (pool === state.pool) state.window = resizedWindow(state.window, slots);
  const idle = state.closing || state.paused;
  // Meanwhile some may have ended, and others started.
  const open = missing.filter(({ n }) => (ns.includes(n) ? state.inflight.has(n) : !idle && !state.seen.has(n)));
  await Promise.all(open.map((spec) => startTrial(state, spec, { adopted: true })));
}

/** Trials in flight go on; the next run receives their ids and waits for their signals. */
async function handOver(state: State): Promise<never> {
  state.closing = true;
  await condition(() => !state.reconciling && allHandlersFinished());
  steps.handingOver();
  const input: ResearchInput = { ...state.input, carry: carryOf(state) };
  // The server hands on none by itself.
  const memo = workflowInfo().memo ?? {};
  return makeContinueAsNewFunc<typeof research>({ workflowTaskTimeout: WORKFLOW_TASK_MS, memo })(input);
}
