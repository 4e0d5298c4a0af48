import { CancellationScope, isCancellation, log, proxyActivities, sleep, TemporalFailure } from '@temporalio/workflow';
import type { MainActivities } from '../../activities/index.ts';
import { optionsOf } from '../timeouts.ts';

const MINUTE_MS = 60_000;
/** Longest pause between two sweeps, in minutes. Pauses grow to it, so that a wait of days writes a short history. */
const LONGEST = 60;

/**
 * Does `work`, which waits for a slot, and meanwhile frees slots whose workflows are closed: without a research under
 * way nothing else would. A slot that was left a moment ago is freed within minutes.
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
  const options = { ...optionsOf(tempo).look, summary: 'free abandoned slots' };
  const { sweep } = proxyActivities<MainActivities>(options);
  for (let minutes = 1; ; minutes = Math.min(LONGEST, 2 * minutes)) {
    await sleep(minutes * MINUTE_MS * tempo);
    await sweep({ jobId }).catch(unless(isFailedActivity));
  }
}

/** True for a sweep that failed for good, which is logged. The job goes on, and the next sweep may succeed. */
function isFailedActivity(error: unknown): boolean {
  if (!(error instanceof TemporalFailure) || isCancellation(error)) return false;
  log.warn('could not check for abandoned slots', { error: String(error) });
  return true;
}

const unless =
  (isExpected: (error: unknown) => boolean) =>
  (error: unknown): void => {
    if (!isExpected(error)) throw error;
  };
