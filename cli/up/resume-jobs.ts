import type { Client } from '@temporalio/client';
import type { StackAddresses } from '../../config/child-env.ts';
import type { Config } from '../../config/load.ts';
import { connect, type Db } from '../../db/connect.ts';
import { readOpenJobs, type Job } from '../../db/job/job.ts';
import { jobArgsOf } from '../../domain/messages/job-args.ts';
import { QUEUES, WORKFLOWS } from '../../domain/messages/names.ts';
import { connectTemporal } from './connect-temporal.ts';

interface ResumedJobs {
  started: string[];
  /** In words for a person. */
  refused: string[];
}

/**
 * Starts again the commands and servers that were under way in Temporal's old file, which was moved away, before any research
 * looks at what nobody goes on with: their runs are adopted. Returns their ids, and why each of the others was not started.
 */
export async function resumeJobs(config: Config, addresses: StackAddresses): Promise<ResumedJobs> {
  const { db, close: closeDb } = connect(addresses.databaseUrl, { max: 1, onError: () => {} });
  const { client, close } = await connectTemporal(config, addresses);
  try {
    return await startOpenJobs(client, db);
  } finally {
    await close();
    await closeDb();
  }
}

/**
 * Starts each open command and server under its id with what its row says, or finds it running. One that cannot be started
 * keeps none of the others from it.
 */
export async function startOpenJobs(client: Client, db: Db): Promise<ResumedJobs> {
  const resumed: ResumedJobs = { started: [], refused: [] };
  for (const job of await readOpenJobs(db)) {
    try {
      if (await startAgain(client, job)) resumed.started.push(job.id);
    } catch (error) {
      resumed.refused.push(`${job.id} does not go on: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return resumed;
}

/** False where no workflow runs it. */
async function startAgain(client: Client, job: Job): Promise<boolean> {
  const args = jobArgsOf(job);
  if (args === null) return false;
  await client.workflow.start(WORKFLOWS.job, {
    ...{ workflowId: job.id, taskQueue: QUEUES.main, args: [args] },
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  return true;
}
