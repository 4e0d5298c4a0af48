import { QUERIES, QUEUES, WORKFLOWS } from '../domain/messages/names.ts';
import { WORKFLOW_TASK_MS } from '../domain/research/continue-as-new.ts';
import { allowance, spendOf } from '../domain/research/budget.ts';
import type { Phase } from '../domain/research/phase.ts';
import { plural } from '../domain/text/plural.ts';
import { awaitOpening } from './await-opening.ts';
import { isWorkerPolling } from './await-worker.ts';
import { describeResearch, type Described } from './describe-research.ts';
import { SteeringError } from './steering-error.ts';
import type { Temporal } from './with-client.ts';

/** Longest wait for the last workflow's state, for which a worker reads its history. */
const STATE_MS = 10_000;

type Usage = Parameters<typeof spendOf>[0];

/** An ended research, as the database has it. */
export interface Ended extends Usage {
  id: string;
  phase: Phase;
  lastN: number;
  task: Described;
  budget: Parameters<typeof allowance>[0];
  gateConfig: { measuresOnly?: boolean };
}

/**
 * Starts an ended research again, with the values that it had: the database has all but its window, which the last
 * workflow reports. Returns lines and notes for the person. Throws SteeringError `refused` if the research is open, or
 * is none that goes on by itself.
 */
export async function startAgain(temporal: Temporal, research: Ended): Promise<{ lines: string[]; notes: string[] }> {
  const { id, task, phase, lastN, budget } = research;
  if (phase !== 'stopped' && phase !== 'failed')
    throw new SteeringError('refused', `Expected an ended research ${id}, it is ${phase}.`);
  if (budget.trials === 0 || research.gateConfig.measuresOnly === true)
    throw new SteeringError('refused', `Expected a research that searches; ${id} is a check or an evaluation.`);
  const window = await readWindow(temporal, id);
  const handle = await temporal.client.workflow
    .start(WORKFLOWS.research, {
      workflowId: id,
      taskQueue: QUEUES.main,
      workflowTaskTimeout: WORKFLOW_TASK_MS,
      args: [{ task: task.name, ...(window === null ? {} : { window }) }],
      memo: { task: task.name },
      ...describeResearch(task),
    })
    .catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'WorkflowExecutionAlreadyStartedError') throw error;
      throw new SteeringError('refused', `The research ${id} is open already.`);
    });
  const opened = await awaitOpening(temporal, { workflowId: id, runId: handle.firstExecutionRunId });
  const notes = [];
  if (opened === null) notes.push('no worker has opened it yet: it goes on once a worker runs');
  if (window === null) notes.push('its last window is unknown, so it has that of its task');
  const { spent } = allowance(budget, spendOf(research));
  if (spent) notes.push(`${spent}, so no new proposal starts and it ${budget.whenSpent === 'stop' ? 'ends' : 'waits'}`);
  return { lines: [`${id} is open again: ${plural(lastN, 'trial')} so far`], notes };
}

/** The window that a research had at its end: a number that a person set, or auto. Null if no worker can tell. */
async function readWindow({ client }: Temporal, id: string): Promise<number | 'auto' | null> {
  if (!(await isWorkerPolling({ client }))) return null;
  try {
    const state = await client.connection.withDeadline(Date.now() + STATE_MS, () =>
      client.workflow.getHandle(id).query<{ window: number; windowFixed: boolean }>(QUERIES.status),
    );
    return state.windowFixed ? state.window : 'auto';
  } catch {
    // Temporal no longer has the workflow, or its history does not replay on this version.
    return null;
  }
}
