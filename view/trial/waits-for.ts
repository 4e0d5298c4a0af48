import type { TrialStatus } from '../../domain/trial.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { describeTrialsWait, type Queue } from '../wait.ts';

const ENDPOINT = 'model endpoint: ';

interface ModelCalls {
  /** Error of the research's model endpoint; null if it answers, or if the research uses none. */
  endpointDown: string | null;
  /** Calls for this trial, in order. */
  calls: readonly { answer: string | null; error: string | null }[];
}

interface Waiting extends ModelCalls {
  trial: { status: TrialStatus | null; readyAt: Date | null; candidateId: string | null; waitsFor: string | null };
  queue: Queue | null;
}

/**
 * The obstacle of an open trial, apart from the wait for a slot: a model's answer, or a resource on its slot; else
 * null.
 */
export function waitsFor({ trial, queue, ...modelCalls }: Waiting): string | null {
  if (trial.status !== null || queue !== null) return null;
  const isProposed = trial.readyAt !== null || trial.candidateId !== null;
  return trial.waitsFor ?? (isProposed ? null : describeMissingAnswer(modelCalls));
}

/** Describes a trial's wait, the wait for a slot included, as a phrase after `waits`; null if it does not wait. */
export function describeWaiting(waiting: Waiting): string | null {
  const obstacle = waitsFor(waiting);
  if (obstacle !== null) return `for ${oneLine(obstacle)}`;
  return waiting.queue === null ? null : describeTrialsWait(waiting.queue);
}

/**
 * The failed call of the trial, which is repeated; else the research's error, which appears after three failures and
 * begins with the name of what failed.
 */
function describeMissingAnswer({ endpointDown, calls }: ModelCalls): string | null {
  const last = calls.at(-1);
  const failed = last?.answer === null && last.error !== null ? `${ENDPOINT}${last.error}` : null;
  const error = failed ?? endpointDown;
  return error?.startsWith(ENDPOINT) ? `the ${error}` : error;
}
