import type { Client } from '@temporalio/client';
import type { StackAddresses } from '../../config/child-env.ts';
import type { Config } from '../../config/load.ts';
import type { Db } from '../../db/connect.ts';
import { jobArgsOf } from '../../domain/job/args.ts';
import { QUEUES, WORKFLOWS } from '../../domain/names.ts';
import { connectTemporal } from './connect-temporal.ts';

/**
 * Starts again the commands and servers that were under way in Temporal's old file, which was moved away, before any research
 * looks at what nobody goes on with: their runs are adopted. Returns their ids.
 */
export async function resumeJobs(config: Config, addresses: StackAddresses): Promise<string[]> {
  const { connect } = await import('../../db/connect.ts');
  const { db, close: closeDb } = connect(addresses.databaseUrl, { max: 1, onError: () => {} });
  const { client, close } = await connectTemporal(config, addresses);
  try {
    return await startOpenJobs(client, db);
  } finally {
    await close();
    await closeDb();
  }
}

/** Starts each open command and server under its id with what its row says, or finds it running. */
export async function startOpenJobs(client: Client, db: Db): Promise<string[]> {
  const { readOpenJobs } = await import('../../db/job/job.ts');
  const started: string[] = [];
  for (const job of await readOpenJobs(db)) {
    const args = jobArgsOf(job);
    if (args === null) continue;
    await client.workflow.start(WORKFLOWS.job, {
      ...{ workflowId: job.id, taskQueue: QUEUES.main, args: [args] },
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    started.push(job.id);
  }
  return started;
}
