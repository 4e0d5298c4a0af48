import type { TrialStatus } from '../../domain/trial.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { describeTrialsWait, type Queue } from '../wait.ts';

const ENDPOINT = 'model endpoint: ';

interface Asking {
  /** Why the model endpoint of its research does not answer; null where it does, or none is asked. */
  endpointDown: string | null;
  /** In the order of their turns. */
  calls: readonly { answer: string | null; error: string | null }[];
}

interface Waiting extends Asking {
  trial: { status: TrialStatus | null; readyAt: Date | null; candidateId: string | null; waitsFor: string | null };
  queue: Queue | null;
}

/** What a trial without an outcome waits for beside a slot: an answer of its model, or what its slot lacks. */
export function waitsFor({ trial, queue, ...asking }: Waiting): string | null {
  if (trial.status !== null || queue !== null) return null;
  const isProposed = trial.readyAt !== null || trial.candidateId !== null;
  return isProposed ? trial.waitsFor : answerOf(asking);
}

/** The same and the wait for a slot, in words that follow `waits`; null where it waits for nothing. */
export function describeWaiting(waiting: Waiting): string | null {
  const what = waitsFor(waiting);
  if (what !== null) return `for ${oneLine(what)}`;
  return waiting.queue === null ? null : describeTrialsWait(waiting.queue);
}

/** Its own call is asked again and again; the research tells of it from the third failure on. */
function answerOf({ endpointDown, calls }: Asking): string | null {
  const last = calls.at(-1);
  const failed = last?.answer === null && last.error !== null ? `${ENDPOINT}${last.error}` : null;
  const why = failed ?? endpointDown;
  return why === null ? null : `the ${why.startsWith(ENDPOINT) ? why : ENDPOINT + why}`;
}
