import type { Research } from '../../db/research/research.ts';
import type { AskedProposer } from '../../domain/search/proposer/table.ts';
import { proposeByModel } from './by-model.ts';
import { proposeByPolicy } from './policy/by-policy.ts';
import type { Proposal, ProposeContext } from './types.ts';

type Ask = (context: ProposeContext, own: { research: Research; settings: unknown }) => Promise<Proposal>;

/** The activities' part of each proposer that has effects. */
export const ASKERS: Record<AskedProposer, Ask> = { llm: proposeByModel, policy: proposeByPolicy };
