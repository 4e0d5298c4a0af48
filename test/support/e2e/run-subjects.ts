import { afterAll, beforeAll, describe } from 'vitest';
import { startTestStack, type TestStack } from '../stack.ts';

/** Tests of a subject that kill no process and need no worker of their own. `shared` gives the running stack. */
export type Subject = (shared: () => TestStack) => void;

/** Something outside the stack that a worker knows by variables. */
type OpenOutside = () => Promise<{ env: Record<string, string>; close: () => Promise<void> }>;

/** Declares the tests of all subjects. One stack with one worker serves them, one after the other. */
export function runSubjects(subjects: Record<string, Subject>, openOutside?: OpenOutside): void {
  let stack: TestStack;
  let outside: Awaited<ReturnType<OpenOutside>> | undefined;
  beforeAll(async () => {
    stack = await startTestStack();
    outside = await openOutside?.();
    await stack.startWorker({ slots: 4, ...(outside && { env: outside.env }) });
  });
  afterAll(async () => {
    await stack.stop();
    await outside?.close();
  });
  for (const [subject, tests] of Object.entries(subjects)) describe(subject, () => tests(() => stack));
}
