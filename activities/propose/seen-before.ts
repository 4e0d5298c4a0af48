import { triedBefore } from '../../domain/prompt/seen-words.ts';
import { candidateContent } from '../../domain/trial/candidate.ts';
import { seenOf } from './prompt/told.ts';
import type { ProposeContext, Proposed } from './types.ts';

/** That another trial ran these files, or is running them, and what came of it; null where they are new. */
export async function seenBefore(
  { deps, trial, version }: ProposeContext,
  { files }: Pick<Proposed, 'files'>,
): Promise<string | null> {
  // An injected candidate runs in any case, and so does one that the platform runs again.
  if (trial.kind !== 'search') return null;
  const candidateId = deps.machine.sha256(candidateContent(files, version.immutableHash));
  const seen = seenOf(await deps.store.trial.findSeen({ trial, candidateId }));
  return seen && triedBefore(seen, version.task.metric.name);
}
