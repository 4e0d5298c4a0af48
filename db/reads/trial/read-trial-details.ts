import type { Overrides } from '../../../domain/task/overrides.ts';
import type { Task } from '../../../domain/task/task.ts';
import type { SampleView } from '../../../view/policy/sample.ts';
import type { CallRates } from '../../../view/rows/rates.ts';
import type { Compute } from '../../../view/rows/compute.ts';
import type { Queue } from '../../../view/wait.ts';
import type { Tx } from '../../connect.ts';
import { findWrittenMemory } from '../../trial/prompt-input/memories.ts';
import { planOf } from '../policy/plan-of.ts';
import { readSample } from '../policy/read-samples.ts';
import type { ResearchView } from '../read-research.ts';
import { readCalls, readTaskOf, type CallRow, type RunRow, type TrialRow, type TrialView } from '../read-trial.ts';
import { readAgent, type AgentView } from './read-agent.ts';
import { readCompute } from '../status/read-compute.ts';
import { readTrialRates } from '../status/read-rates.ts';
import { readQueue } from '../status/read-queue.ts';

/** A trial with all that any surface shows of it, except its curve and its calls. */
export interface TrialDetails {
  trial: TrialRow;
  /** Overrides of its research. */
  overrides: Overrides;
  /** Placements, last one first. */
  runs: RunRow[];
  /** Task version of the trial. */
  task: Task;
  /** Queue that it waits in while it is ready and has no slot; null otherwise. */
  queue: Queue | null;
  /** Sample of a policy that its proposal was parsed from; null if there is none. */
  sample: SampleView | null;
  /** Coding agent that makes its proposal; null if there is none. */
  agent: AgentView | null;
  /** Memory that its answer has; null: it left the memory as it was, or its model keeps none. */
  memory: string | null;
  /** Compute of its candidate's scored runs relative to the baseline's; null if either is unknown. */
  compute: Compute | null;
  /** Reason why the model endpoint of its research does not answer; null if it does, or if none is used. */
  endpointDown: string | null;
}

/**
 * Details of a trial, and the calls of its proposer in the order of their turns, with complete prompts and answers.
 * Coding agents read them by MCP, so that calls of an evaluator are left out.
 */
export interface TrialWithCalls extends TrialDetails {
  calls: CallRow[];
  /** Call rates; null if no model was called. */
  rates: CallRates | null;
}

type Picked = TrialView & { research: ResearchView };

/** Everything of a trial except its curve and its calls, which may be large. */
export async function readTrialDetails(db: Tx, { trial, runs, research }: Picked): Promise<TrialDetails> {
  const { endpointDown, overrides } = research;
  const task = await readTaskOf(db, trial);
  const underTask = { ...research, task, taskHash: trial.taskHash };
  return {
    trial,
    overrides,
    runs,
    task,
    endpointDown,
    queue: await readQueue(db, trial),
    sample: await readSample(db, { trialId: trial.id, plan: planOf(research) }),
    agent: await readAgent(db, trial.id),
    memory: await findWrittenMemory(db, trial.id),
    compute: await readCompute(db, { research: underTask, candidateId: trial.candidateId ?? '' }),
  };
}

/** Everything of a trial except its curve and the calls of its evaluator. */
export const readTrialWithCalls = async (db: Tx, picked: Picked): Promise<TrialWithCalls> => ({
  ...(await readTrialDetails(db, picked)),
  calls: (await readCalls(db, { trialId: picked.trial.id })).filter(({ role }) => role === 'proposer'),
  rates: await readTrialRates(db, { trialId: picked.trial.id }),
});
