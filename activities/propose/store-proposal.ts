import { knobValuesIn } from '../../domain/edit/knob-edit.ts';
import { candidateContent } from '../../domain/trial/candidate.ts';
import type { ProposalInput, Trial } from '../../db/trial/proposal.ts';
import type { ProposeContext, Proposed } from './propose-context.ts';

/** Stores a proposal with the knobs of its candidate. If one is stored already, that stands. */
export const storeProposal = (context: ProposeContext, proposed: Proposed): Promise<Trial> =>
  context.deps.store.trial.saveProposal(proposalOf(context, proposed));

/**
 * Stores a proposal under the research's lock. Returns null if another trial ran its candidate or is about to run it.
 */
export function storeIfNew(context: ProposeContext, proposed: Proposed): Promise<Trial | null> {
  const { deps, trial } = context;
  const proposal = proposalOf(context, proposed);
  return deps.store.withResearch(trial.researchId, async (tx) => {
    const known = await tx.trial.findCandidatesAlreadyRun({ trial, candidateIds: [proposal.candidate.id] });
    return known.length > 0 ? null : tx.trial.saveProposal(proposal);
  });
}

function proposalOf({ deps, trial, version }: ProposeContext, { files, ...rest }: Proposed): ProposalInput {
  const id = deps.machine.sha256(candidateContent(files, version.immutableHash));
  const candidate = { id, immutableHash: version.immutableHash, files };
  return { trialId: trial.id, candidate, knobs: knobValuesIn(version.task.knobs, files), ...rest };
}
