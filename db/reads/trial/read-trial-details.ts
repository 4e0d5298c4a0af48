import type { Overrides } from '../../../domain/task/overrides.ts';
import type { Task } from '../../../domain/task/task.ts';
import type { SampleView } from '../../../view/policy/sample.ts';
import type { CallRates } from '../../../view/rows/rates.ts';
import type { Compute } from '../../../view/rows/compute.ts';
import type { Queue } from '../../../view/wait.ts';
import type { Tx } from '../../connect.ts';
import { planOf } from '../policy/plan-of.ts';
import { readSample } from '../policy/read-samples.ts';
import type { ResearchView } from '../read-research.ts';
import { readCalls, readTaskOf, type CallRow, type RunRow, type TrialRow, type TrialView } from '../read-trial.ts';
import { readCompute } from '../status/read-compute.ts';
import { readTrialRates } from '../status/read-rates.ts';
import { readQueue } from '../status/read-queue.ts';

/** A trial with what is told of it beside its curve and its calls, whatever the surface. */
export interface TrialDetails {
  trial: TrialRow;
  /** Values of its research's own in place of the task's. */
  overrides: Overrides;
  /** Placements, the last one first. */
  runs: RunRow[];
  /** The version that the trial is of. */
  task: Task;
  /** What it waits for while it is ready and has no slot; null where it does not. */
  queue: Queue | null;
  /** Of a policy, from which its proposal was read; null where it was not. */
  sample: SampleView | null;
  /** Compute of its candidate's scored runs in times of the baseline's; null where either is not known. */
  compute: Compute | null;
  /** Why the model endpoint of its research does not answer; null where it does, or none is asked. */
  endpointDown: string | null;
}

/** The same with its calls in the order of their turns, prompts and answers whole. */
export interface TrialWithCalls extends TrialDetails {
  calls: CallRow[];
  /** How they went; null where no model was asked. */
  rates: CallRates | null;
}

type Picked = TrialView & { research: ResearchView };

/** All of a trial but its curve and its calls, which may be large. */
export async function readTrialDetails(db: Tx, { trial, runs, research }: Picked): Promise<TrialDetails> {
  const { endpointDown, overrides } = research;
  const task = await readTaskOf(db, trial);
  const underTask = { ...research, task, taskHash: trial.taskHash };
  return {
    ...{ trial, overrides, runs, task, endpointDown },
    queue: await readQueue(db, trial),
    sample: await readSample(db, { trialId: trial.id, plan: planOf(research) }),
    compute: await readCompute(db, { research: underTask, candidateId: trial.candidateId ?? '' }),
  };
}

/** All of a trial but its curve. */
export const readTrialWithCalls = async (db: Tx, picked: Picked): Promise<TrialWithCalls> => ({
  ...(await readTrialDetails(db, picked)),
  calls: await readCalls(db, { trialId: picked.trial.id }),
  rates: await readTrialRates(db, { trialId: picked.trial.id }),
});
