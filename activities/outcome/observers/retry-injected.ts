import type { FailureLabel } from '../../../domain/trial.ts';
import type { Concluded, Outcome } from '../observer.ts';

/** After this many losses a person has to look. */
const MOST_LOST = 3;
const MACHINES_FAULT: readonly (FailureLabel | null)[] = ['machine-lost', 'contended', 'infrastructure'];

/**
 * A person's proposal that a machine lost is wanted again, a bounded number of times: nobody else would make it. The last
 * loss is its outcome, and said.
 */
export async function retryInjected({ tx, trial, incomparableReason: apart }: Outcome): Promise<Partial<Concluded>> {
  const { researchId, n, kind, status, failure } = trial;
  if (apart !== null || kind !== 'injected' || status !== 'lost' || !MACHINES_FAULT.includes(failure)) return {};
  if (await tx.research.retryInjected({ researchId, n, most: MOST_LOST })) return {};
  await tx.research.insertAlert({
    researchId,
    message: `injected proposal not run again: trial ${n} is its loss no. ${MOST_LOST} (${failure}); mend the machine and inject it again`,
  });
  return {};
}
