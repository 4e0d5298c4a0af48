import { randomBytes } from 'node:crypto';
import { jobIdOf } from '../../domain/job.ts';
import { QUEUES, WORKFLOWS } from '../../domain/names.ts';
import type { Temporal } from '../context.ts';
import { CliError, refused } from '../errors.ts';
import { withDb } from '../context.ts';
import type { Io } from '../io.ts';
import { workerPolls } from '../worker-polls.ts';

export interface Asked {
  /** A built-in name, or an absolute path. */
  task: string;
  command: string;
  pool?: string;
}

/** Starts a command under a new id, and returns that. */
export async function startJob(temporal: Temporal, { name, asked }: { name: string; asked: Asked }): Promise<string> {
  const token = `${Date.now().toString(36)}-${randomBytes(3).toString('hex')}`;
  const id = jobIdOf({ kind: 'command', name, token });
  await begin(temporal, { id, asked });
  if (await workerPolls(temporal)) return id;
  await temporal.client.workflow.getHandle(id).terminate('perpetua run: no worker polls');
  throw new CliError(
    'unreachable',
    'Expected a worker that runs the command: no worker polls; start one: npx perpetua worker.',
  );
}

/** Goes on with a command under its id: its workflow where Temporal has it, else a new one that takes up what there is. */
export async function goOnWithJob(io: Io, temporal: Temporal, id: string): Promise<void> {
  const { findJob } = await import('../../db/job/job.ts');
  const described = await temporal.client.workflow
    .getHandle(id)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof Error && error.name === 'WorkflowNotFoundError') return null;
      throw error;
    });
  if (described && described.type !== WORKFLOWS.job)
    throw refused(`Expected the id of a command, as perpetua run told it; ${id} is a ${described.type}.`);
  const found = await withDb(io, (db) => findJob(db, id));
  if (described && (described.status.name === 'RUNNING' || found?.job.endedAt)) return;
  if (found?.job.kind !== 'command' || found.job.taskHash === null)
    throw refused(`Expected the id of a command, as perpetua run told it; no command ${id} is known.`);
  const { spec, taskHash, endedAt } = found.job;
  if (endedAt || spec.shape !== 'to-an-end' || spec.command === undefined)
    throw refused(`Expected a command that is under way; ${id} ended at ${endedAt?.toISOString() ?? 'no time'}.`);
  await begin(temporal, { id, asked: { task: taskHash, command: spec.command } });
}

async function begin({ client }: Temporal, { id, asked }: { id: string; asked: Asked }): Promise<void> {
  await client.workflow.start(WORKFLOWS.job, { workflowId: id, taskQueue: QUEUES.main, args: [asked] });
}
