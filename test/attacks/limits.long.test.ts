import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { type Attacked, attack } from './support/attacking.ts';

const ENDS = {
  processes: 'too-many-processes',
  memory: 'out-of-memory',
  disk: 'disk-limit',
  files: 'disk-limit',
  output: 'output-limit',
  'ignore-term': 'wall-clock',
};

let stack: TestStack;
let careful: Attacked;

beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 3 });
  careful = await attack(stack, { task: 'careful', only: Object.keys(ENDS) });
});
afterAll(() => stack.stop());

test.each(Object.entries(ENDS))('a candidate that takes more %s than it may ends as %s', (name, label) =>
  expect(careful.row(name)).toMatchObject({ seen: [label], verdict: 'held' }),
);

test('nothing of the attacks stays on the machine', () => {
  expect(careful.report.left).toEqual([]);
  expect(careful.code).toBe(0);
});
