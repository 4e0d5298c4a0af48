import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  makeContinueAsNewFunc,
  proxyActivities,
  rootCause,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { MainActivities, OpenedJob, WaitingActivities } from '../activities/index.ts';
import { assertNever } from '../domain/method/assert-never.ts';
import type { JobEnded, JobEnding } from '../domain/job/ended.ts';
import { describeIssue, JobArgs } from '../domain/messages.ts';
import { CONTINUE_AS_NEW, serve } from './job/serve.ts';
import { sweepWhileQueued } from './job/sweep-while-queued.ts';
import { placeJob, type PlaceJobInput, whyOf } from './place-job.ts';
import { writeFloorMemo } from './write-floor-memo.ts';
import { optionsOf } from './timeouts.ts';

/**
 * Runs a command in the workspace of a task, on a slot: once, or as a server. A workflow whose id is a known job
 * continues it.
 */
export async function job(input: unknown): Promise<JobEnded> {
  writeFloorMemo();
  const args = JobArgs.safeParse(input);
  if (!args.success) throw ApplicationFailure.nonRetryable(describeIssue(args.error, input), 'BadInput');
  const { tempo = 1, maxHistory, ...asked } = args.data;
  const { workflowId: jobId } = workflowInfo();
  const { openJob } = proxyActivities<MainActivities>(optionsOf(tempo).slow);
  // Not cancellable: a cancel in between would leave an open job without a workflow.
  const opened = await CancellationScope.nonCancellable(() => openJob({ jobId, ...asked }));
  const result = opened.ending ?? (await runJob(opened, { jobId, tempo, maxHistory }).catch(endingOf));
  // After a cancel the job ends here: the next run of the chain would not receive the cancel.
  if (result === CONTINUE_AS_NEW && !isCancelled()) return continueJobAsNew(args.data);
  const ending = result === CONTINUE_AS_NEW ? CANCELLED : result;
  const { endJob } = proxyActivities<MainActivities>({ ...optionsOf(tempo).slow, summary: `end: ${ending.why}` });
  return CancellationScope.nonCancellable(() => endJob({ jobId, ...ending }));
}

interface JobInput {
  jobId: string;
  tempo: number;
  maxHistory: number | undefined;
}

async function runJob(opened: OpenedJob, { jobId, tempo, maxHistory }: JobInput) {
  const { pool, priority, taskName, shape } = opened;
  const placing = {
    jobId,
    pool,
    tempo,
    priority: { priorityKey: priority, fairnessKey: taskName.slice(0, 64) },
    // `perpetua run` reads failed launches from the history and prints them.
    onFailing: () => Promise.resolve(),
    whileQueued: <T>(work: () => Promise<T>) => sweepWhileQueued({ jobId, tempo }, work),
  };
  switch (shape) {
    case 'to-an-end':
      return runToEnd({ ...placing, label: 'the command', adopted: true });
    case 'without-an-end':
      return serve({ placing: { ...placing, label: 'the server' }, taskName, maxHistory });
    case 'short-runs':
      throw ApplicationFailure.nonRetryable(`${jobId} is no command: it is of the shape ${shape}`, 'BadInput');
    default:
      // Throws, which fails the workflow task: a worker of a newer version takes it.
      return assertNever(shape);
  }
}

function runToEnd(placing: PlaceJobInput): Promise<JobEnding> {
  const { jobId, tempo } = placing;
  const { monitor } = proxyActivities<WaitingActivities>({ ...optionsOf(tempo).monitor, summary: 'run' });
  return placeJob<JobEnding>(placing, {
    follow: async (placement) => {
      const { state } = await monitor({ jobId, placement });
      if (state === 'lost' || state === 'gone' || state === 'contended') return state;
      return { done: { why: state === 'cancelled' ? 'cancelled' : 'ended', detail: null } };
    },
    giveUp: (why, detail) => Promise.resolve({ why, detail: detail ?? null }),
  });
}

/** Continues as new with the same arguments. All state is in the database, where the next run finds the job. */
function continueJobAsNew(args: JobArgs): Promise<never> {
  // The server does not copy the memo to the next run.
  const memo = workflowInfo().memo ?? {};
  return makeContinueAsNewFunc<typeof job>({ memo })(args);
}

const CANCELLED: JobEnding = { why: 'cancelled', detail: null };

const isCancelled = (): boolean => CancellationScope.current().consideredCancelled;

/** The ending of a job after an error. Rethrows a bug, which fails the workflow task until the bug is fixed. */
function endingOf(error: unknown): JobEnding {
  if (!(error instanceof TemporalFailure)) throw error;
  if (isCancellation(error) || isCancelled()) return CANCELLED;
  const why = whyOf(error);
  return { why: why === 'database-failed' ? 'failed' : why, detail: rootCause(error) ?? String(error) };
}
