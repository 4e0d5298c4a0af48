import { candidateContent } from '../../domain/trial/candidate.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import type { ProposeContext, Proposed } from './types.ts';

/** Stores the candidate and how it came to be; the first attempt wins. */
export async function storeProposal(context: ProposeContext, proposed: Proposed): Promise<Trial> {
  const { deps, trial, version } = context;
  const { files, ...words } = proposed;
  const id = deps.machine.sha256(candidateContent(files, version.immutableHash));
  return deps.store.trial.saveProposal({
    trialId: trial.id,
    candidate: { id, immutableHash: version.immutableHash, files },
    ...words,
  });
}
