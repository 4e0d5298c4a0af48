import type { Research } from '../../db/research/research.ts';
import type { AskedProposer } from '../../domain/search/proposer/table.ts';
import { proposeByModel } from './by-model.ts';
import type { Proposal, ProposeContext } from './types.ts';

/** What the proposers do that cannot draw a proposal from what is stored alone. */
export const ASKERS: Record<AskedProposer, (context: ProposeContext, research: Research) => Promise<Proposal>> = {
  llm: proposeByModel,
};
