import type { Client } from '@temporalio/client';
import type { StackAddresses } from '../../config/child-env.ts';
import type { Config } from '../../config/load.ts';
import { connect, type Db } from '../../db/connect.ts';
import { readOpenJobs, type Job } from '../../db/job/job.ts';
import { jobArgsOf } from '../../domain/messages/job-args.ts';
import { QUEUES, WORKFLOWS } from '../../domain/messages/names.ts';
import { connectTemporal } from './connect-temporal.ts';

interface ResumedJobs {
  /** Ids of the started jobs. */
  started: string[];
  /** Reasons why the other jobs were not started, in words. */
  refused: string[];
}

/**
 * Starts the open commands and servers again after Temporal's database file was moved away; their workflows adopt the
 * runs. Call it before any research starts: a research would reconcile runs that no workflow owns.
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
 * Starts each open command and server under its id with the arguments of its row, unless its workflow is open. An error
 * of one job does not affect the others.
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

/** Starts a job's workflow again. Returns false for a job that has no workflow of its own. */
async function startAgain(client: Client, job: Job): Promise<boolean> {
  const args = jobArgsOf(job);
  if (args === null) return false;
  await client.workflow.start(WORKFLOWS.job, {
    workflowId: job.id,
    taskQueue: QUEUES.main,
    args: [args],
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
  return true;
}
