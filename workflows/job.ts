import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
  rootCause,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { MainActivities, WaitingActivities } from '../activities/index.ts';
import type { JobEnded, JobEnding } from '../domain/job-ended.ts';
import { describeIssue, JobArgs } from '../domain/messages.ts';
import { carryOut, isSetupFailure } from './place.ts';
import { tellFloor } from './tell-floor.ts';
import { optionsOf } from './timeouts.ts';

/** A command in the workspace of a task, once, on a slot. Its id is the job's, under which it goes on where it is known. */
export async function job(input: unknown): Promise<JobEnded> {
  tellFloor();
  const args = JobArgs.safeParse(input);
  if (!args.success) throw ApplicationFailure.nonRetryable(describeIssue(args.error, input), 'BadInput');
  const { tempo = 1, ...asked } = args.data;
  const { workflowId: jobId } = workflowInfo();
  const { openJob } = proxyActivities<MainActivities>(optionsOf(tempo).slow);
  // Cut short it would leave a job that nobody ends.
  const opened = await CancellationScope.nonCancellable(() => openJob({ jobId, ...asked }));
  const ending = await toEnd({ jobId, tempo, ...opened }).catch(endingOf);
  const { endJob } = proxyActivities<MainActivities>({ ...optionsOf(tempo).slow, summary: `end: ${ending.why}` });
  return CancellationScope.nonCancellable(() => endJob({ jobId, ...ending }));
}

interface Opened {
  jobId: string;
  tempo: number;
  pool: string;
  priority: number;
  taskName: string;
}

function toEnd({ jobId, tempo, pool, priority, taskName }: Opened): Promise<JobEnding> {
  const { monitor } = proxyActivities<WaitingActivities>({ ...optionsOf(tempo).monitor, summary: 'run' });
  const placing = {
    ...{ trialId: jobId, pool, tempo, named: 'the command', adopted: true },
    priority: { priorityKey: priority, fairnessKey: taskName.slice(0, 64) },
    // A person who waits for it sees that it waits.
    onFailing: () => Promise.resolve(),
  };
  return carryOut<JobEnding>(placing, {
    follow: async (placement) => {
      const { state } = await monitor({ trialId: jobId, placement });
      if (state === 'lost' || state === 'contended') return state;
      return { done: { why: state === 'cancelled' ? 'cancelled' : 'ended', detail: null } };
    },
    giveUp: (why, detail) => Promise.resolve({ why, detail: detail ?? null }),
  });
}

/** A bug fails the workflow task, which goes on once it is mended; only what an activity reported ends the job. */
function endingOf(error: unknown): JobEnding {
  if (!(error instanceof TemporalFailure)) throw error;
  if (isCancellation(error) || CancellationScope.current().consideredCancelled)
    return { why: 'cancelled', detail: null };
  return { why: isSetupFailure(error) ? 'setup-failed' : 'failed', detail: rootCause(error) ?? String(error) };
}
