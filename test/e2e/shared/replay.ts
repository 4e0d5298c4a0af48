import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import type { TestStack } from '../../support/stack.ts';

let stack: TestStack;

/** Bundle that the worker of each workflow type loads. */
const bundleOf = { research: 'workflow', trial: 'trial' } as const;
type Type = keyof typeof bundleOf;

const optionsOf = (type: Type) => ({
  workflowBundle: { codePath: join(packageRoot(), 'dist', `${bundleOf[type]}-bundle.js`) },
});
const closed = (type: Type) =>
  stack.client.workflow.list({ query: `WorkflowType = '${type}' AND ExecutionStatus != 'Running'` });

/**
 * Replays the histories of the other subjects on this stack, since `test/workflows/replay.test.ts` has none that was
 * recorded between two releases.
 */
export function replayTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  describe('replay', () => {
    test.each(['research', 'trial'] as const)('each %s of this stack replays on the code that ran it', async (type) => {
      const failed: string[] = [];
      let count = 0;
      const histories = closed(type).intoHistories({ concurrency: 4 });
      for await (const { workflowId, error } of Worker.runReplayHistories(optionsOf(type), histories)) {
        count += 1;
        if (error) failed.push(`${workflowId}: ${error.message}`);
      }
      expect(failed).toEqual([]);
      expect(count).toBeGreaterThan(5);
    });

    test('a history in which the research scheduled another activity does not replay', async () => {
      const { workflowId, history, admission } = await findAdmission();
      Object.assign(admission.activityType ?? {}, { name: 'reconcile' });
      const replayed = Worker.runReplayHistory(optionsOf('research'), history, workflowId);
      await expect(replayed).rejects.toThrow(DeterminismViolationError);
    });
  });
}

/** Finds a closed research that has admitted a trial. */
async function findAdmission() {
  for await (const { workflowId } of closed('research')) {
    const history = await stack.client.workflow.getHandle(workflowId).fetchHistory();
    const scheduled = history.events?.map((event) => event.activityTaskScheduledEventAttributes);
    const admission = scheduled?.find((attributes) => attributes?.activityType?.name === 'admit');
    if (admission) return { workflowId, history, admission };
  }
  throw new Error('Expected a closed research with an admission, found none.');
}
