import { CancellationScope, isCancellation, log, proxyActivities, sleep, TemporalFailure } from '@temporalio/workflow';
import type { MainActivities } from '../../activities/index.ts';
import { optionsOf } from '../timeouts.ts';

const MINUTE_MS = 60_000;
/** Pause to which the pauses between two sweeps grow, in minutes: a wait of days is to cost a short history. */
const LONGEST = 60;

/**
 * Frees slots that nobody else would while a job waits for one: where no research is under way, nobody looks. A slot that was
 * left a moment ago is found within minutes.
 */
export async function sweepWhileQueued<T>(
  { jobId, tempo }: { jobId: string; tempo: number },
  work: () => Promise<T>,
): Promise<T> {
  const sweeps = new CancellationScope();
  void sweeps.run(() => sweepAgain(jobId, tempo)).catch(unless(isCancellation));
  try {
    return await work();
  } finally {
    sweeps.cancel();
  }
}

async function sweepAgain(jobId: string, tempo: number): Promise<never> {
  const options = { ...optionsOf(tempo).look, summary: 'look for slots that nobody frees' };
  const { sweep } = proxyActivities<MainActivities>(options);
  for (let minutes = 1; ; minutes = Math.min(LONGEST, 2 * minutes)) {
    await sleep(minutes * MINUTE_MS * tempo);
    await sweep({ jobId }).catch(unless(isFailedActivity));
  }
}

/** An activity that failed for good is no failure of the job: the next sweep may do better. */
function isFailedActivity(error: unknown): boolean {
  if (!(error instanceof TemporalFailure) || isCancellation(error)) return false;
  log.warn('slots that nobody frees could not be looked for', { error: String(error) });
  return true;
}

const unless =
  (isExpected: (error: unknown) => boolean) =>
  (error: unknown): void => {
    if (!isExpected(error)) throw error;
  };
