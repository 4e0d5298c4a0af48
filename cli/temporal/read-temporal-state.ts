import type { Phase } from '../../domain/research/phase.ts';
import { hasEnded } from '../../view/phase.ts';
import { withTemporal, type Temporal } from '../context.ts';
import { describeWorkflow } from './describe-workflow.ts';
import { failureMessage } from './failure-message.ts';
import type { Failing } from './failing.ts';
import type { Io } from '../io.ts';
import { closedWorkflow, NO_WORKER, unknownWorkflow } from './obstacles.ts';
import { isWorkerPolling } from './await-worker.ts';
import { readFailing } from './read-failing.ts';

const LIMIT_MS = 2000;

/** What only Temporal knows. `notes` are for people; `finding` is set where the research cannot go on by itself. */
export interface TemporalState {
  obstacle: string | null;
  notes: string[];
  /** What fails again and again; null where Temporal did not answer. */
  failing: Failing[] | null;
  /** Why Temporal did not answer; null where it did. */
  error: string | null;
}

export interface TemporalStateInput {
  researchId: string;
  /** Trials under way, the oldest first. */
  trialIds: string[];
  /** Default: two seconds. */
  limitMs?: number;
  /** A worker was started just now: that none polls yet is no obstacle. */
  workerStarting?: boolean;
  /** The database takes it to be over: there is something to tell only where a workflow of its id is open all the same. */
  researchEnded?: boolean;
}

/** The answer where there is nothing to ask about. */
export const NO_OBSTACLE: TemporalState = { obstacle: null, notes: [], failing: [], error: null };

/** True where the research has ended, and so have its trials. */
export const hasEndedWithTrials = (phase: Phase, trialIds: string[]): boolean =>
  hasEnded(phase) && trialIds.length === 0;

/**
 * Asks whether the workflow is open, what fails in it and in its trials, and whether a worker polls; whatever goes wrong
 * on the way becomes a note. Never rejects.
 */
export async function readTemporalState(io: Io, question: TemporalStateInput): Promise<TemporalState> {
  const limitMs = question.limitMs ?? LIMIT_MS;
  // The client takes a while to load on a busy machine: that is not Temporal's time.
  await import('./client.ts');
  const late = new Promise<TemporalState>((resolve) => {
    setTimeout(() => resolve(silent(`it did not answer within ${limitMs / 1000} s`)), limitMs).unref();
  });
  const asked = withTemporal(io, (temporal) => askAll(temporal, question), limitMs / 1000).catch((error: unknown) =>
    silent(error instanceof Error ? error.message : String(error)),
  );
  return Promise.race([asked, late]);
}

async function askAll({ client, address }: Temporal, question: TemporalStateInput): Promise<TemporalState> {
  const { researchId, trialIds } = question;
  const described = await describeWorkflow(client, researchId);
  if (question.researchEnded && described?.status.name !== 'RUNNING') return NO_OBSTACLE;
  const [finding, failing] = await Promise.all([
    findObstacle({ client, address }, { ...question, described }),
    readFailing(client, { researchId, trialIds, now: new Date() }),
  ]);
  return { obstacle: finding, notes: finding === null ? [] : [finding], failing, error: null };
}

type Described = Awaited<ReturnType<typeof describeWorkflow>>;

/** Why the research cannot go on by itself; null where it can. */
async function findObstacle(
  { client, address }: Temporal,
  { researchId, described, workerStarting: workerComes = false }: TemporalStateInput & { described: Described },
): Promise<string | null> {
  if (!described) return unknownWorkflow(researchId);
  const status = described.status.name;
  if (status === 'FAILED')
    return closedWorkflow(researchId, `failed (${await whyFailed({ client, address }, described)})`);
  if (status !== 'RUNNING') return closedWorkflow(researchId, `is closed (${status.toLowerCase()})`);
  return workerComes || (await isWorkerPolling({ client })) ? null : NO_WORKER;
}

/** The last event of a failed run says it. */
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

const silent = (why: string): TemporalState => ({
  obstacle: null,
  notes: [`Temporal did not answer, so what fails there is not known: ${why}`],
  failing: null,
  error: why,
});
