import { randomBytes } from 'node:crypto';
import { jobIdOf } from '../../domain/job.ts';
import { jobArgsOf } from '../../domain/job/args.ts';
import type { JobArgs } from '../../domain/messages.ts';
import { QUEUES, WORKFLOWS } from '../../domain/names.ts';
import type { Temporal } from '../context.ts';
import { CliError, refused } from '../errors.ts';
import { withDb } from '../context.ts';
import type { Io } from '../io.ts';
import { workerPolls } from '../temporal/worker-polls.ts';

/** A command, run once, or a server. */
export type Kind = 'command' | 'server';

/** Starts a command or a server under a new id, and returns that. */
export async function startJob(temporal: Temporal, { name, asked }: { name: string; asked: JobArgs }): Promise<string> {
  const token = `${Date.now().toString(36)}-${randomBytes(3).toString('hex')}`;
  const id = jobIdOf({ kind: asked.serve ? 'server' : 'command', name, token });
  await begin(temporal, { id, asked });
  if (await workerPolls(temporal)) return id;
  await temporal.client.workflow.getHandle(id).terminate('perpetua run: no worker polls');
  throw new CliError(
    'unreachable',
    'Expected a worker that runs the command: no worker polls; start one: npx perpetua worker.',
  );
}

/**
 * Goes on with a command or a server under its id: its workflow where Temporal has it, else a new one that takes up what there
 * is. Returns which of them it is.
 */
export async function goOnWithJob(io: Io, temporal: Temporal, id: string): Promise<Kind> {
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
  const isOpen = described?.status.name === 'RUNNING';
  // Nobody may have opened it yet: its id tells then.
  const kind = found ? found.job.kind : isOpen ? kindOf(id) : null;
  if (kind !== 'command' && kind !== 'server')
    throw refused(`Expected the id of a command, as perpetua run told it; no command ${id} is known.`);
  if (isOpen || (described && found?.job.endedAt)) return kind;
  const args = found && jobArgsOf(found.job);
  if (!args || found.job.endedAt)
    throw refused(
      `Expected a ${kind} that is under way; ${id} ended at ${found?.job.endedAt?.toISOString() ?? 'no time'}.`,
    );
  await begin(temporal, { id, asked: args });
  return kind;
}

const kindOf = (id: string): Kind => (id.startsWith('server/') ? 'server' : 'command');

async function begin({ client }: Temporal, { id, asked }: { id: string; asked: JobArgs }): Promise<void> {
  await client.workflow.start(WORKFLOWS.job, { workflowId: id, taskQueue: QUEUES.main, args: [asked] });
}
