import type { Phase } from '../../domain/research/phase.ts';
import { hasEnded } from '../../view/phase.ts';
import { withTemporal, type Temporal } from '../context.ts';
import { describeWorkflow } from './describe-workflow.ts';
import { failureMessage } from '../../steering/failure-message.ts';
import type { Failing } from './failing.ts';
import type { Io } from '../io.ts';
import { closedWorkflow, NO_WORKER, unknownWorkflow } from './obstacles.ts';
import { isWorkerPolling } from '../../steering/await-worker.ts';
import { readFailing } from './read-failing.ts';

const LIMIT_MS = 2000;

/** State of a research that only Temporal has. */
export interface TemporalState {
  /** Reason why the research cannot continue by itself, with the command that helps; null: none. */
  obstacle: string | null;
  /** Notes for people. */
  notes: string[];
  /** Repeatedly failing work; null if Temporal did not answer. */
  failing: Failing[] | null;
  /** Reason why Temporal did not answer; null if it did. */
  error: string | null;
}

export interface TemporalStateInput {
  researchId: string;
  /** Open trials, the oldest first. */
  trialIds: string[];
  /** Longest wait for Temporal; default: two seconds. */
  limitMs?: number;
  /** True if a worker was started just now: a missing poll is then no obstacle. */
  workerStarting?: boolean;
  /** True if the research has ended by the database. Then only an open workflow of its id is worth a report. */
  researchEnded?: boolean;
}

/** State of a research about which Temporal has nothing to report. */
export const NO_OBSTACLE: TemporalState = { obstacle: null, notes: [], failing: [], error: null };

/** True if the research and all its trials have ended. */
export const hasEndedWithTrials = (phase: Phase, trialIds: string[]): boolean =>
  hasEnded(phase) && trialIds.length === 0;

/**
 * Reads from Temporal if the workflow is open and a worker polls, and the failing work of the research and its trials.
 * An error becomes a note. Never rejects.
 */
export async function readTemporalState(io: Io, input: TemporalStateInput): Promise<TemporalState> {
  const limitMs = input.limitMs ?? LIMIT_MS;
  // Loads the client before the limit starts: on a busy machine that takes a while, which is not Temporal's fault.
  await import('../../steering/client.ts');
  const timeout = new Promise<TemporalState>((resolve) => {
    setTimeout(() => resolve(unanswered(`no answer within ${limitMs / 1000} s`)), limitMs).unref();
  });
  const answer = withTemporal(io, (temporal) => readAll(temporal, input), limitMs / 1000).catch((error: unknown) =>
    unanswered(error instanceof Error ? error.message : String(error)),
  );
  return Promise.race([answer, timeout]);
}

async function readAll({ client, address }: Temporal, input: TemporalStateInput): Promise<TemporalState> {
  const { researchId, trialIds } = input;
  const described = await describeWorkflow(client, researchId);
  if (input.researchEnded && described?.status.name !== 'RUNNING') return NO_OBSTACLE;
  const [obstacle, failing] = await Promise.all([
    findObstacle({ client, address }, { ...input, described }),
    readFailing(client, { researchId, trialIds, now: new Date() }),
  ]);
  return { obstacle, notes: obstacle === null ? [] : [obstacle], failing, error: null };
}

type Described = Awaited<ReturnType<typeof describeWorkflow>>;

/** Finds the reason why the research cannot continue by itself; null if it can. */
async function findObstacle(
  { client, address }: Temporal,
  { researchId, described, workerStarting = false }: TemporalStateInput & { described: Described },
): Promise<string | null> {
  if (!described) return unknownWorkflow(researchId);
  const status = described.status.name;
  if (status === 'FAILED')
    return closedWorkflow(researchId, `failed (${await whyFailed({ client, address }, described)})`);
  if (status !== 'RUNNING') return closedWorkflow(researchId, `is closed (${status.toLowerCase()})`);
  return workerStarting || (await isWorkerPolling({ client })) ? null : NO_WORKER;
}

/** Reads the failure of a failed run from its last event. */
async function whyFailed(
  { client, address }: Temporal,
  execution: { workflowId: string; runId: string },
): Promise<string> {
  const { workflowId, runId } = execution;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: address.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  return failureMessage(history?.events?.[0]?.workflowExecutionFailedEventAttributes?.failure) ?? 'no reason was given';
}

const unanswered = (why: string): TemporalState => ({
  obstacle: null,
  notes: [`Temporal cannot be read, so failing work is not shown: ${why}`],
  failing: null,
  error: why,
});
