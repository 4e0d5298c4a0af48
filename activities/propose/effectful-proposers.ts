import type { Research } from '../../db/research/research.ts';
import type { AskedProposer } from '../../domain/search/proposer/table.ts';
import { proposeByModel } from './by-model.ts';
import { proposeByPolicy } from './policy/by-policy.ts';
import type { Proposal, ProposeContext } from './propose-context.ts';

type Propose = (context: ProposeContext, input: { research: Research; settings: unknown }) => Promise<Proposal>;

/** The function of each proposer whose proposals need effects, not only a draw. */
export const EFFECTFUL_PROPOSERS: Record<AskedProposer, Propose> = { llm: proposeByModel, policy: proposeByPolicy };
