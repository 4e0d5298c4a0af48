import { afterAll, beforeAll, describe } from 'vitest';
import { startTestStack, type TestStack } from '../stack.ts';

/** Tests of a subject that kill no process and need no worker of their own. `shared` gives the running stack. */
export type Subject = (shared: () => TestStack) => void;

/** Declares the tests of all subjects. One stack with one worker serves them, one after the other. */
export function runSubjects(subjects: Record<string, Subject>): void {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startTestStack();
    await stack.startWorker({ slots: 4 });
  });
  afterAll(() => stack.stop());
  for (const [subject, tests] of Object.entries(subjects)) describe(subject, () => tests(() => stack));
}
