import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMPUTE } from '../../domain/attack/attacks/compute.ts';
import { HIDDEN } from '../../domain/attack/attacks/hidden.ts';
import { ATTACKS } from '../../domain/attack/table.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { attack } from './support/attacking.ts';

/** What no evaluator can do anything about: `mended.test.ts` has it. */
const NOT_THEIRS = [...HIDDEN, ...COMPUTE];
const only = ATTACKS.filter((one) => !NOT_THEIRS.includes(one)).map(({ name }) => name);

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 1 });
});
afterAll(() => stack.stop());

test.each(['template', 'lr-knob', 'nano-lm'])('the task %s, which comes with Perpetua, holds', async (builtin) => {
  const { told, code } = await attack(stack, { task: { builtin }, only });
  expect(told.attacks.filter(({ verdict }) => verdict === 'BROKEN' || verdict === 'unknown')).toEqual([]);
  expect(told.attacks.filter(({ verdict }) => verdict === 'held').length).toBeGreaterThan(15);
  expect(code).toBe(0);
});
