import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMPUTE } from '../../domain/attack/attacks/compute.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { attack } from './support/attacking.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 1 });
});
afterAll(() => stack.stop());

// The template meets every attack; nano-lm meets those on compute.
test.each([
  ['template', [], 15],
  ['nano-lm', COMPUTE.map(({ name }) => name), 2],
] as const)('the task %s, which comes with Perpetua, holds', async (builtin, only, least) => {
  const { report, code } = await attack(stack, { task: { builtin }, only });
  expect(report.attacks.filter(({ verdict }) => verdict === 'BROKEN' || verdict === 'unknown')).toEqual([]);
  expect(report.attacks.filter(({ verdict }) => verdict === 'held').length).toBeGreaterThanOrEqual(least);
  expect(code).toBe(0);
});
