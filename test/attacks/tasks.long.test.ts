import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { attack } from './support/attacking.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 1 });
});
afterAll(() => stack.stop());

test.each(['template', 'lr-knob', 'nano-lm'])('the task %s, which comes with Perpetua, holds', async (builtin) => {
  const { told, code } = await attack(stack, { task: { builtin } });
  expect(told.attacks.filter(({ verdict }) => verdict === 'BROKEN' || verdict === 'unknown')).toEqual([]);
  expect(told.attacks.filter(({ verdict }) => verdict === 'held').length).toBeGreaterThan(15);
  expect(code).toBe(0);
});
