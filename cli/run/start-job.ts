import { randomBytes } from 'node:crypto';
import { type AskedKind, isAskedKind, jobIdOf } from '../../domain/job.ts';
import { jobArgsOf } from '../../domain/messages/job-args.ts';
import { JobArgs } from '../../domain/messages.ts';
import { QUEUES, WORKFLOWS } from '../../domain/messages/names.ts';
import type { Temporal } from '../context.ts';
import { CliError, refused } from '../errors.ts';
import { withDb } from '../context.ts';
import type { Io } from '../io.ts';
import { readHistory } from '../../infra/temporal/read-history.ts';
import { NO_WORKER } from '../temporal/obstacles.ts';
import { describeWorkflow } from '../temporal/describe-workflow.ts';
import { awaitWorker } from '../../steering/await-worker.ts';
import { findJob } from '../../db/job/job.ts';

/** Starts a command or a server under a new id, and returns the id. Throws CliError if no worker polls. */
export async function startJob(
  io: Io,
  temporal: Temporal,
  { name, args }: { name: string; args: JobArgs },
): Promise<string> {
  const token = `${Date.now().toString(36)}-${randomBytes(3).toString('hex')}`;
  const id = jobIdOf({ kind: args.serve ? 'server' : 'command', name, token });
  await begin(temporal, { id, args });
  if (await awaitWorker(temporal, io)) return id;
  await temporal.client.workflow.getHandle(id).terminate('perpetua run: no worker polls');
  throw new CliError('unreachable', `Expected a worker that runs the command: ${NO_WORKER}.`);
}

/**
 * Attaches to a command or a server by its id. If Temporal has no open workflow of a job that has not ended, starts a
 * workflow that adopts the job's runs. Returns the kind of the job.
 */
export async function reopenJob(io: Io, temporal: Temporal, id: string): Promise<AskedKind> {
  const described = await describeWorkflow(temporal.client, id);
  if (described && described.type !== WORKFLOWS.job)
    throw refused(`Expected the id of a command or a server, as perpetua run prints it; ${id} is a ${described.type}.`);
  const found = await withDb(io, (db) => findJob(db, id));
  const isOpen = described?.status.name === 'RUNNING';
  let kind = found?.job.kind ?? null;
  // A job without a row: no worker has opened it yet.
  if (!found && isOpen) kind = await askedKind(temporal, described);
  if (kind === null || !isAskedKind(kind))
    throw refused(`Expected the id of a command or a server, as perpetua run prints it; ${id} is neither.`);
  if (isOpen || (described && found?.job.endedAt)) return kind;
  const args = found && jobArgsOf(found.job);
  if (!args || found.job.endedAt)
    throw refused(
      `Expected a ${kind} that is under way; ${id} ended at ${found?.job.endedAt?.toISOString() ?? 'no time'}.`,
    );
  await begin(temporal, { id, args });
  return kind;
}

/** Reads the kind of a job from the arguments of its workflow; null if they are not the arguments of a job. */
async function askedKind(
  { client }: Temporal,
  { workflowId, runId }: { workflowId: string; runId: string },
): Promise<AskedKind | null> {
  const parsed = JobArgs.safeParse((await readHistory(client, { workflowId, runId })).args);
  if (!parsed.success) return null;
  return parsed.data.serve ? 'server' : 'command';
}

async function begin({ client }: Temporal, { id, args }: { id: string; args: JobArgs }): Promise<void> {
  await client.workflow.start(WORKFLOWS.job, { workflowId: id, taskQueue: QUEUES.main, args: [args] });
}
