import type { Research } from '../../../db/research/research.ts';
import { AGENT_POOL } from '../../../domain/agent/agent-pool.ts';
import { proposalJobOf } from '../../../domain/agent/proposal-job.ts';
import { PRIORITY } from '../../../domain/trial/priority.ts';
import type { CommandSettings } from '../../../domain/search/proposer/command.ts';
import type { Made, ProposeContext } from '../propose-context.ts';
import { reportEndpointDown } from '../report-endpoint-down.ts';
import { storeProposal } from '../store-proposal.ts';
import { agentRunOf } from './agent-run-of.ts';
import { readProposal } from './read-proposal.ts';

/**
 * Opens the job in which an agent makes the proposal; reads the proposal when the job has ended. A repeated call finds
 * the same job.
 */
export async function proposeByCommand(
  context: ProposeContext,
  { research, settings }: { research: Research; settings: CommandSettings },
): Promise<Made> {
  const { deps, trial } = context;
  const jobId = proposalJobOf(trial.id);
  const found = await deps.store.job.findJob(jobId);
  if (found?.job.endedAt) {
    const proposal = await readProposal(context, found);
    return proposal.ok ? storeProposal(context, proposal.proposed) : { rejected: proposal.failure };
  }
  const opened = { job: { jobId, pool: AGENT_POOL } };
  if (found) return opened;
  const agent = await agentRunOf(context, { research, settings });
  if (typeof agent === 'string') return reportEndpointDown(context, research, { what: 'agent', message: agent });
  await deps.store.call.recordEndpoint({ researchId: trial.researchId, down: null });
  await deps.store.job.openJob({
    id: jobId,
    kind: 'proposal',
    researchId: trial.researchId,
    taskHash: trial.taskHash,
    pool: AGENT_POOL,
    priority: PRIORITY[trial.kind],
    spec: { shape: 'to-an-end', agent },
  });
  deps.reach('proposal-opened');
  return opened;
}
