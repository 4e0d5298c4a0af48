import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { TestStack } from '../stack.ts';

/** Starts a worker that Temporal takes for one of an older version: it goes on with workflows, or only scores. */
export async function startOldWorker(
  stack: TestStack,
  does: 'all' | 'scores' = 'all',
): Promise<{ process: ChildProcess; kill: () => Promise<void> }> {
  const program = fileURLToPath(new URL('old-worker.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, stack.temporalAddress, does], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  await Promise.race([
    once(child.stdout, 'data'),
    gone.then(() => expect.unreachable('the older worker ended before it polled')),
  ]);
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await gone;
  };
  return { process: child, kill };
}

/** True if a workflow has completed a workflow task. */
export const isBegun = async ({ client }: TestStack, workflowId: string): Promise<boolean> =>
  ((await client.workflow.getHandle(workflowId).fetchHistory()).events ?? []).some(
    (event) => event.workflowTaskCompletedEventAttributes,
  );
