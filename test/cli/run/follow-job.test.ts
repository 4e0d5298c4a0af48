import { WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { followJob } from '../../../cli/run/follow-job.ts';
import { insertResearch } from '../support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

/** Follows a job at a Temporal server that knows of no such workflow. */
const follow = (workflowId: string) => {
  const result = () => Promise.reject(new WorkflowNotFoundError('workflow not found', workflowId, undefined));
  const stream = { write: () => undefined };
  const handle = { workflowId, result } as unknown as WorkflowHandle;
  const printer = { drain: () => Promise.resolve() };
  return followJob({ stdout: stream, stderr: stream }, { db: bench.db, handle, printer });
};

test('a job that another Temporal server does not know, and Postgres does, is told how to go on with', async () => {
  await insertResearch(bench.db, 'beside');
  await bench.store.job.openJob({
    ...{ id: 'command/a/known', kind: 'command', taskHash: 'task-1', pool: 'local', priority: 1 },
    spec: { shape: 'to-an-end', command: 'true' },
  });
  await expect(follow('command/a/known')).rejects.toThrow(
    /another server .* Go on with it: npx perpetua run --attach command\/a\/known$/,
  );
});

test('one that neither knows could not be run', async () => {
  await expect(follow('command/a/unknown')).rejects.toThrow('The command could not be run: workflow not found');
});
