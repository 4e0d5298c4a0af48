import type { Research } from '../../db/research/research.ts';
import type { ReplaySettings } from '../../domain/search/proposer/replay.ts';
import type { AskedProposer } from '../../domain/search/proposer/table.ts';
import type { LlmProposerSettings } from '../../domain/search/proposer/llm.ts';
import type { CommandSettings } from '../../domain/search/proposer/command.ts';
import { proposeByCommand } from './agent/by-command.ts';
import { proposeByModel } from './by-model.ts';
import { proposeByCmaEs } from './optimizer/by-cma-es.ts';
import { proposeByPolicy } from './policy/by-policy.ts';
import type { Made, Proposal, ProposeContext } from './propose-context.ts';
import { proposeByReplay } from './replay/by-replay.ts';
import { storeProposal } from './store-proposal.ts';

interface ProposeInput {
  research: Research;
  settings: unknown;
}

type Propose = (context: ProposeContext, input: ProposeInput) => Promise<Made>;

/** Stores the proposal that a function makes, whether its candidate is new or not. */
const storing =
  (propose: (context: ProposeContext, input: ProposeInput) => Promise<Proposal>): Propose =>
  async (context, input) => {
    const proposal = await propose(context, input);
    return proposal.ok ? storeProposal(context, proposal.proposed) : { rejected: proposal.failure };
  };

/** The function of each proposer whose proposals need effects, not only a draw. */
export const EFFECTFUL_PROPOSERS: Record<AskedProposer, Propose> = {
  'cma-es': storing(proposeByCmaEs),
  command: (context, { research, settings }) =>
    proposeByCommand(context, { research, settings: settings as CommandSettings }),
  llm: storing((context, { research, settings }) =>
    proposeByModel(context, { research, settings: settings as LlmProposerSettings }),
  ),
  policy: storing(proposeByPolicy),
  replay: (context, { settings }) => proposeByReplay(context, settings as ReplaySettings),
};
