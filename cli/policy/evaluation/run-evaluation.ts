import { setTimeout as sleep } from 'node:timers/promises';
import { QUEUES, type ResearchArgs, SIGNALS, WORKFLOWS } from '../../../domain/messages.ts';
import { WORKFLOW_TASK_MS } from '../../../domain/research/continue-as-new.ts';
import type { Task } from '../../../domain/task/task.ts';
import { tolerateOutage } from '../../attack/run-attacks.ts';
import { type Temporal, withDb, withTemporal } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { type Io, printNote } from '../../io.ts';
import { awaitOpening } from '../../../steering/await-opening.ts';
import { describeResearch } from '../../../steering/describe-research.ts';
import { readTemporalState } from '../../temporal/read-temporal-state.ts';
import { rootMessage } from '../../temporal/root-message.ts';
import { createEvaluationPrinter, readProgress } from './progress.ts';

interface RunInput {
  /** Id of the evaluation's research. */
  id: string;
  args: ResearchArgs;
  task: Task;
  samples: number;
  /** Command that continues the evaluation. */
  command: string;
}

const POLL_MS = 1000;
/** Longest wait for runs under way after Ctrl-C. */
const STOPPED_MS = 20_000;

/** Starts the research of an evaluation, or joins it if it is open, and follows it to its end. */
export async function runEvaluation(io: Io, input: RunInput): Promise<void> {
  const print = createEvaluationPrinter(io, input);
  const progressNow = tolerateOutage(io, () => withDb(io, (db) => readProgress(db, input.id)));
  await withTemporal(io, async (temporal) => {
    const handle = await openOrJoin(io, temporal, input);
    let hasEnded = false;
    const result = handle.result().then(
      () => undefined,
      (error: unknown) => error,
    );
    void result.finally(() => (hasEnded = true));
    while (!hasEnded) {
      const progress = await progressNow();
      if (progress) print(progress);
      if (io.signal?.aborted) {
        await handle.signal(SIGNALS.stop, { now: false });
        await Promise.race([result, sleep(STOPPED_MS)]);
        throw new CliError(
          'failed',
          `Stopped by Ctrl-C: runs under way finish, and no further run begins. To continue: ${input.command}`,
        );
      }
      await Promise.race([result, sleep(POLL_MS)]);
    }
    const failed = await result;
    if (failed) throw failureOf(failed, input);
  });
}

/** The error of a command whose evaluation failed, or whose connection to Temporal was lost. */
function failureOf(error: unknown, { command }: RunInput): CliError {
  const message = rootMessage(error);
  if (error instanceof Error && error.name === 'WorkflowFailedError')
    return new CliError('failed', `The evaluation could not run: ${message}`, { cause: error });
  return new CliError(
    'unreachable',
    `Lost the connection to Temporal (${message}); the evaluation continues without this command. ` +
      `To follow it again: ${command}`,
    { cause: error },
  );
}

/** Handle of the evaluation's workflow. Of several commands with one id, one starts it and the others join it. */
async function openOrJoin(io: Io, temporal: Temporal, { id, args, task }: RunInput) {
  const { client } = temporal;
  try {
    const handle = await client.workflow.start(WORKFLOWS.research, {
      workflowId: id,
      taskQueue: QUEUES.main,
      workflowTaskTimeout: WORKFLOW_TASK_MS,
      args: [args],
      memo: { task: task.name },
      ...describeResearch(task),
    });
    const opening = await awaitOpening(temporal, { workflowId: id, runId: handle.firstExecutionRunId }, io);
    if (opening === null) await noteObstacles(io, id);
    return client.workflow.getHandle(id);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'WorkflowExecutionAlreadyStartedError') throw error;
    printNote(io, `${id} is under way already; following it`);
    return client.workflow.getHandle(id);
  }
}

/** Prints why no worker has opened the evaluation yet, as far as Temporal knows. */
async function noteObstacles(io: Io, id: string): Promise<void> {
  const { notes } = await readTemporalState(io, { researchId: id, trialIds: [] });
  for (const line of notes.length > 0 ? notes : ['no worker has opened it yet']) printNote(io, `note: ${line}`);
}
