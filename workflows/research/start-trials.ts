import { CancellationScope, ParentClosePolicy, sleep, startChild, workflowInfo } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { FLOOR, FLOOR_MEMO } from '../../domain/floor/floor.ts';
import { QUEUES, WORKFLOWS } from '../../domain/messages/names.ts';
import type { TrialSpec } from '../../domain/trial.ts';
import type { trial, TrialInput } from '../trial.ts';
import { activitiesOf } from './activities.ts';
import { startUpdate } from './start-update.ts';
import { activeSecondsOf, countEnded, currentWindow, keepRetry, wake, type State } from './state.ts';

/** Admits as many trials as the window has room for, and starts them. True if any started. */
export async function startTrials(state: State): Promise<boolean> {
  const window = currentWindow(state);
  const room = window - state.inflight.size;
  if (room <= 0 || state.stopping || state.paused || state.messagesBeforeTrials > 0) return false;
  state.admissions += 1;
  const proposals = Date.now() >= state.pacedUntil;
  const { retries } = state;
  // Reset here: a `resume` during the admission is for the next one.
  state.retries = false;
  const { quick } = activitiesOf(state.input.tempo ?? 1, `admit at most ${room}`);
  const input = {
    researchId: state.id,
    key: `${workflowInfo().runId}/${state.admissions}`,
    room,
    window,
    activeSeconds: activeSecondsOf(state),
    proposals,
    ...(retries ? { retries } : {}),
  };
  // Not cancellable: a cancel in between would leave admitted trials without a workflow.
  state.admitting = true;
  const admitted = await CancellationScope.nonCancellable(() => quick.admit(input)).finally(
    () => (state.admitting = false),
  );
  keepRetry(state, { retries, ...admitted });
  state.spent = admitted.spent;
  state.endpointDown = admitted.endpointDown;
  state.blocked = admitted.blocked;
  state.held = admitted.held;
  state.learning = admitted.learning;
  state.due = admitted.update;
  state.board = admitted.board;
  // Not during a pause: each admission would postpone its end.
  if (proposals && admitted.paceSeconds > 0) pauseProposals(state, admitted.paceSeconds);
  const { proposesAtOnce } = admitted;
  // A reconciliation may have started trials of an earlier attempt of this admission.
  const fresh = admitted.trials.filter(({ n }) => !state.seen.has(n));
  await Promise.all(fresh.map((spec) => startTrial(state, spec, { proposesAtOnce })));
  if (admitted.update !== null) await startUpdate(state, admitted.update);
  return fresh.length > 0;
}

/** Pauses new proposals, after many worthless ones in a row, and wakes the loop when the pause is over. */
export function pauseProposals(state: State, seconds: number): void {
  state.pacedUntil = Date.now() + seconds * 1000;
  // A cancel also only ends the pause here; `research` handles it.
  const woken = (): void => wake(state);
  void sleep(seconds * 1000).then(woken, woken);
}

/**
 * Starts a trial's workflow and counts the trial when it ends. A workflow that is still open under this id is adopted;
 * it reports its end by a signal.
 */
export async function startTrial(
  state: State,
  spec: TrialSpec,
  how: { adopted?: true; proposesAtOnce?: boolean } = {},
): Promise<void> {
  if (!state.inflight.has(spec.n)) {
    state.started += 1;
    state.startedHere += 1;
  }
  state.inflight.set(spec.n, spec);
  state.seen.add(spec.n);
  const { id: researchId, taskName } = state;
  const input: TrialInput = { ...spec, ...how, researchId, taskName, tempo: state.input.tempo ?? 1 };
  try {
    const child = await startChild<typeof trial>(WORKFLOWS.trial, {
      workflowId: spec.trialId,
      args: [input],
      taskQueue: QUEUES.trial,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      memo: { [FLOOR_MEMO]: FLOOR },
      staticSummary: `${spec.kind} #${spec.n}${spec.ofTrial === null ? '' : ` of #${spec.ofTrial}`}`,
    });
    void child.result().then(
      (ended) => countEnded(state, ended),
      // Closed by a person, or failed: the next reconciliation reads the outcome from the database.
      () => (state.reconcileDue = true),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    // The adopted trial may have ended before this run could receive its signal.
    const { quick } = activitiesOf(state.input.tempo ?? 1, `read the outcome of #${spec.n}`);
    (await quick.findOutcomes({ researchId, ns: [spec.n] })).forEach((ended) => countEnded(state, ended));
  }
}
