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

/** A command in the workspace of a task, on a slot: once, or as a server. Its id is the job's, under which it goes on where it is known. */
export async function job(input: unknown): Promise<JobEnded> {
  writeFloorMemo();
  const args = JobArgs.safeParse(input);
  if (!args.success) throw ApplicationFailure.nonRetryable(describeIssue(args.error, input), 'BadInput');
  const { tempo = 1, maxHistory, ...asked } = args.data;
  const { workflowId: jobId } = workflowInfo();
  const { openJob } = proxyActivities<MainActivities>(optionsOf(tempo).slow);
  // Cut short it would leave a job that nobody ends.
  const opened = await CancellationScope.nonCancellable(() => openJob({ jobId, ...asked }));
  const came = opened.ending ?? (await carriedOut(opened, { jobId, tempo, maxHistory }).catch(endingOf));
  // The run that it would be handed to hears nothing of a cancel that came with its last event.
  if (came === CONTINUE_AS_NEW && !isCancelled()) return handOver(args.data);
  const ending = came === CONTINUE_AS_NEW ? CANCELLED : came;
  const { endJob } = proxyActivities<MainActivities>({ ...optionsOf(tempo).slow, summary: `end: ${ending.why}` });
  return CancellationScope.nonCancellable(() => endJob({ jobId, ...ending }));
}

interface Run {
  jobId: string;
  tempo: number;
  maxHistory: number | undefined;
}

async function carriedOut(opened: OpenedJob, { jobId, tempo, maxHistory }: Run) {
  const { pool, priority, taskName, shape } = opened;
  const placing = {
    ...{ trialId: jobId, pool, tempo },
    priority: { priorityKey: priority, fairnessKey: taskName.slice(0, 64) },
    // A person who waits for it is told by `perpetua run`, from the history.
    onFailing: () => Promise.resolve(),
    whileQueued: <T>(work: () => Promise<T>) => sweepWhileQueued({ jobId, tempo }, work),
  };
  switch (shape) {
    case 'to-an-end':
      return toEnd({ ...placing, label: 'the command', adopted: true });
    case 'without-an-end':
      return serve({ placing: { ...placing, label: 'the server' }, taskName, maxHistory });
    case 'short-runs':
      throw ApplicationFailure.nonRetryable(`${jobId} is no command: it is of the shape ${shape}`, 'BadInput');
    default:
      // A newer worker knows it, and takes the task.
      return assertNever(shape);
  }
}

function toEnd(placing: PlaceJobInput): Promise<JobEnding> {
  const { trialId, tempo } = placing;
  const { monitor } = proxyActivities<WaitingActivities>({ ...optionsOf(tempo).monitor, summary: 'run' });
  return placeJob<JobEnding>(placing, {
    follow: async (placement) => {
      const { state } = await monitor({ trialId, placement });
      if (state === 'lost' || state === 'contended') return state;
      return { done: { why: state === 'cancelled' ? 'cancelled' : 'ended', detail: null } };
    },
    giveUp: (why, detail) => Promise.resolve({ why, detail: detail ?? null }),
  });
}

/** What must be kept is in the database: the next run begins as if its job had been found there. */
function handOver(args: JobArgs): Promise<never> {
  // The server hands on none by itself.
  const memo = workflowInfo().memo ?? {};
  return makeContinueAsNewFunc<typeof job>({ memo })(args);
}

const CANCELLED: JobEnding = { why: 'cancelled', detail: null };

const isCancelled = (): boolean => CancellationScope.current().consideredCancelled;

/** A bug fails the workflow task, which goes on once it is mended; only what an activity reported ends the job. */
function endingOf(error: unknown): JobEnding {
  if (!(error instanceof TemporalFailure)) throw error;
  if (isCancellation(error) || isCancelled()) return CANCELLED;
  return { why: whyOf(error), detail: rootCause(error) ?? String(error) };
}
