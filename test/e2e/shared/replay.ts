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
      expect(count).toBeGreaterThan(20);
    });

    test('a history in which the research scheduled another activity does not replay', async () => {
      const history = await stack.client.workflow.getHandle('climb').fetchHistory();
      const admitted = history.events?.find(
        ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name === 'admit',
      );
      Object.assign(admitted?.activityTaskScheduledEventAttributes?.activityType ?? {}, { name: 'reconcile' });
      const replayed = Worker.runReplayHistory(optionsOf('research'), history, 'climb');
      await expect(replayed).rejects.toThrow(DeterminismViolationError);
    });
  });
}
