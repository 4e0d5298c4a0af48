import { Client, type WorkflowClient, type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import type { Sender } from '../../../domain/messages/sender.ts';
import { nameSender } from '../../../infra/temporal/name-sender.ts';
import { slowTask, type Slowness } from './slow-task.ts';
import type { TestStack } from '../stack.ts';

/** Answer of the `status` query, as far as tests read it. */
export interface Status {
  task: string;
  phase: string;
  reason: string | null;
  window: number;
  running: number[];
  started: number;
  ended: number;
  alerts: string[];
}

/** Number of runs in a workflow's chain, and the failure causes of its workflow tasks in order; null: completed. */
export async function chainOf(stack: TestStack, id: string): Promise<{ runs: number; causes: (number | null)[] }> {
  const { raw } = await stack.client.workflow.getHandle(id).describe();
  const causes: (number | null)[] = [];
  let runs = 0;
  for (let runId = raw.workflowExecutionInfo?.firstRunId; runId;) {
    const { events } = await stack.client.workflow.getHandle(id, runId).fetchHistory();
    runs += 1;
    for (const { workflowTaskFailedEventAttributes: failed, workflowTaskCompletedEventAttributes: went } of events ??
      [])
      if (failed || went) causes.push(failed?.cause ?? null);
    runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return { runs, causes };
}

/** Client of a stack whose messages name that sender. */
export const sentBy = ({ client }: TestStack, sender: Sender): WorkflowClient =>
  new Client({ connection: client.connection, interceptors: { workflow: [nameSender(sender)] } }).workflow;

/** Verbs on the researches of one stack. */
export function steering(stack: () => TestStack) {
  const handleOf = (id: string): WorkflowHandle => stack().client.workflow.getHandle(id);
  const until = (what: string, text: string, values: unknown[]): Promise<void> => stack().until(what, text, values);
  return {
    handleOf,
    statusOf: (id: string): Promise<Status> => handleOf(id).query('status'),

    /** Starts a research of a task whose runs are that slow. */
    begin: async (id: string, input: Record<string, unknown>, slowness: Slowness = {}): Promise<WorkflowHandle> => {
      const task = await slowTask(stack(), id, { seconds: 0.4, ...slowness });
      await stack().startResearch(id, { task, window: 2, ...input });
      return handleOf(id);
    },

    untilPhase: (id: string, phase: string): Promise<void> =>
      until(`${id} to be ${phase}`, 'select phase = $2 as done, phase, reason from researches where id = $1', [
        id,
        phase,
      ]),

    /** Waits until a research has trials and none of them is under way. */
    untilIdle: (id: string): Promise<void> =>
      until(
        `${id} to have nothing under way`,
        'select count(*) > 0 and bool_and(status is not null) as done from trials where research_id = $1',
        [id],
      ),

    untilEnded: (id: string, count: number): Promise<void> =>
      until(
        `${count} trials of ${id} to end`,
        'select count(*) >= $2 as done, count(*) from trials where research_id = $1 and status is not null',
        [id, count],
      ),

    untilAlerts: (id: string, count: number): Promise<void> =>
      until(`${count} alerts`, 'select count(*) >= $2 as done, json_agg(message) from alerts where research_id = $1', [
        id,
        count,
      ]),

    rowOf: async (id: string) => {
      const [row] = await stack().query<{ last_n: number; active_seconds: number; reason: string }>(
        'select last_n, active_seconds, reason from researches where id = $1',
        [id],
      );
      if (!row) throw new Error(`expected a research ${id}`);
      return row;
    },
  };
}

/** Message that a person gets for a refused update; throws if the update was accepted. */
export async function refusal(update: Promise<unknown>): Promise<string> {
  try {
    await update;
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError) return error.cause?.message ?? '';
    throw error;
  }
  throw new Error('expected the update to be refused, it was accepted');
}
