import { ApplicationFailure, Context } from '@temporalio/activity';
import { isSandboxMissing } from '../../domain/fault/sandbox-missing.ts';
import type { ScoreContext, Scored } from './score-context.ts';

/** Attempt of the activity from which on a missing sandbox is an alert. */
const ALERT_AFTER_ATTEMPTS = 3;
/** Pause before the next attempt. A machine that gave no sandbox is probed again after the same time. */
const RETRY_AFTER = '60 seconds';

/**
 * Scores a run. If the machine gives the evaluator no sandbox for the moment, throws a retryable failure: the candidate
 * is not at fault, and without the sandbox its artefacts could change this machine.
 */
export async function retryWithoutSandbox(
  { deps, trial: { researchId } }: ScoreContext,
  score: () => Promise<Scored>,
): Promise<Scored> {
  try {
    return await score();
  } catch (error) {
    if (!isSandboxMissing(error) || !(error instanceof Error)) throw error;
    const { message } = error;
    if (Context.current().info.attempt >= ALERT_AFTER_ATTEMPTS)
      await deps.store.research.insertAlert({ researchId, message, once: true });
    throw ApplicationFailure.create({ message, type: 'SandboxMissing', nextRetryDelay: RETRY_AFTER });
  }
}
