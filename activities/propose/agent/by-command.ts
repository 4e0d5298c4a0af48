import type { Job } from '../../../db/job/job.ts';
import type { Research } from '../../../db/research/research.ts';
import { AGENT_POOL } from '../../../domain/agent/agent-pool.ts';
import { proposalJobOf } from '../../../domain/agent/proposal-job.ts';
import type { JobSpec } from '../../../domain/job.ts';
import { PRIORITY } from '../../../domain/trial/priority.ts';
import type { CommandSettings } from '../../../domain/search/proposer/command.ts';
import type { Failure } from '../../../domain/trial.ts';
import type { Made, ProposeContext } from '../propose-context.ts';
import { ArmDownError, describeOutage, reportEndpointDown } from '../report-endpoint-down.ts';
import { storeProposal } from '../store-proposal.ts';
import { agentRunOf } from './agent-run-of.ts';
import { readProposal } from './read-proposal.ts';

/** Name of a missing agent in the reason of a research's wait. */
const AGENT = 'agent';

/**
 * Opens the job in which an agent makes the proposal; reads the proposal when the job has ended. If the agent of a
 * replaced arm ran in the job, the job is opened again. A repeated call finds the same job.
 */
export async function proposeByCommand(
  context: ProposeContext,
  { research, settings }: { research: Research; settings: CommandSettings },
): Promise<Made> {
  const { deps, trial } = context;
  const jobId = proposalJobOf(trial.id);
  const found = await deps.store.job.findJob(jobId);
  const isReplaced = found?.job.ending?.why === 'replaced';
  if (found?.job.endedAt && !isReplaced) {
    const proposal = await readProposal(context, found);
    if (proposal.ok) return storeProposal(context, proposal.proposed);
    return rejectOrChangeArm(context, { failure: proposal.failure, down: downOf(proposal.outage, found.job) });
  }
  const opened = { job: { jobId, pool: AGENT_POOL } };
  if (found && !isReplaced) return opened;
  const agent = await agentRunOf(context, { research, settings });
  if (typeof agent === 'string') return reportEndpointDown(context, research, { what: AGENT, message: agent });
  // The next answer to an agent ends any other reason.
  if (research.endpointDown?.startsWith(`${AGENT}: `))
    await deps.store.call.recordEndpoint({ researchId: trial.researchId, down: null });
  const spec: JobSpec = { shape: 'to-an-end', agent };
  if (isReplaced) await deps.store.job.reopenJob({ id: jobId, spec });
  else
    await deps.store.job.openJob({
      id: jobId,
      kind: 'proposal',
      researchId: trial.researchId,
      taskHash: trial.taskHash,
      pool: AGENT_POOL,
      priority: PRIORITY[trial.kind],
      spec,
    });
  deps.reach('proposal-opened');
  return opened;
}

/** Why an agent cannot work at present; null if it could. */
function downOf(outage: string | null, { ending }: Pick<Job, 'ending'>): string | null {
  if (outage !== null) return describeOutage(outage);
  return ending?.why === 'tools-missing' ? `${AGENT}: ${ending.detail ?? 'its machine lacks it'}` : null;
}

/** Rejects a trial without a proposal. If the agent could not work, another arm of a mixture makes the proposal. */
function rejectOrChangeArm(
  { otherArms }: ProposeContext,
  { failure, down }: { failure: Failure; down: string | null },
): { rejected: Failure } {
  if (down === null) return { rejected: failure };
  if (otherArms?.ofOtherEndpoint === true) throw new ArmDownError(down, { isOfModel: false, retryAfterSeconds: 0 });
  const message = `${failure.message}; ${down}`.slice(0, 1000);
  return { rejected: { label: 'proposer-failed', message } };
}
