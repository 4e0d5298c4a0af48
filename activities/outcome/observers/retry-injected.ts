import type { FailureLabel } from '../../../domain/trial.ts';
import type { Conclusions, Outcome } from '../observer.ts';

/** Losses of one injected proposal after which it is not run again. */
const MOST_LOST = 3;
const NOT_ITS_FAULT: readonly (FailureLabel | null)[] = [
  'machine-lost',
  'contended',
  'database-failed',
  'infrastructure',
];

/**
 * Wants another run of an injected proposal that a machine lost, since no proposer would make the same proposal. After
 * {@link MOST_LOST} losses it stores an alert instead.
 */
export async function retryInjected({ tx, trial, incomparableReason }: Outcome): Promise<Partial<Conclusions>> {
  const { researchId, n, kind, status, failure } = trial;
  if (incomparableReason !== null || kind !== 'injected') return {};
  if (status !== 'lost' || !NOT_ITS_FAULT.includes(failure)) return {};
  if (await tx.research.retryInjected({ researchId, n, most: MOST_LOST })) return {};
  await tx.research.insertAlert({
    researchId,
    message:
      `the injected proposal of trial ${n} is not run again: ${MOST_LOST} runs of it were lost (${failure}). ` +
      'Mend the machine, then inject it again',
  });
  return {};
}
