import type { Research } from '../../db/research/research.ts';
import type { AskedProposer } from '../../domain/search/proposer/table.ts';
import { proposeByModel } from './by-model.ts';
import { proposeByPolicy } from './policy/by-policy.ts';
import type { Proposal, ProposeContext } from './propose-context.ts';

type Ask = (context: ProposeContext, own: { research: Research; settings: unknown }) => Promise<Proposal>;

/** The effects of each proposer that does not only draw. */
export const EFFECTFUL_PROPOSERS: Record<AskedProposer, Ask> = { llm: proposeByModel, policy: proposeByPolicy };
