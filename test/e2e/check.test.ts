import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../cli/support/cli.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { writeTask } from '../support/tasks.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 1 });
});
afterAll(() => stack.stop());

const check = async (name: string, task: NonNullable<Parameters<typeof writeTask>[1]>['task']) => {
  const folder = await writeTask(join(stack.home, 'tasks', name), { task: { name, ...task } });
  const { temporalAddress, databaseUrl, home } = stack;
  const env = { TEMPORAL_ADDRESS: temporalAddress, DATABASE_URL: databaseUrl, PERPETUA_HOME: home };
  return run(['check', folder, '--json'], { env });
};

test('check runs the unmodified workspace once and prints its score, with nothing to warn of', async () => {
  const { code, json, stderr } = await check('well', {});
  expect(stderr).not.toContain('!');
  expect(code).toBe(0);
  const protectionsOf = { host: expect.any(String) as unknown, unknown: null };
  expect(json()).toMatchObject([{ task: 'well', warnings: [], protectionsOf }]);
});

test('check warns of a secondary metric that the evaluator does not give', async () => {
  const { code, json } = await check('secondary', { secondary: [{ name: 'speed' }] });
  expect(code).toBe(0);
  expect(json()).toMatchObject([
    { warnings: [expect.stringMatching(/^the evaluator gave no speed \(secondary\): it gave \w/)] },
  ]);
});

test('check warns of a pattern of progress that no line matches', async () => {
  const { code, json } = await check('silent', { progress: { pattern: '^stepp (?<step>\\d+) (?<value>\\S+)$' } });
  expect(code).toBe(0);
  expect(json()).toMatchObject([{ warnings: [expect.stringContaining('no line of the run was progress')] }]);
});

test('check says what a run that fails has left and how it failed in one JSON object', async () => {
  const budget = { seconds: 5, kind: 'wall' as const };
  const { code, json } = await check('broken', {
    run: { command: 'echo on the way; exit 7', budget, artefacts: [{ path: 'out.txt' }] },
  });
  expect(code).toBe(1);
  const [told, ...more] = json() as [{ error: { message: string } }, ...unknown[]];
  expect(more).toEqual([]);
  expect(told).toMatchObject({ task: 'broken', error: { code: 'failed' } });
  expect(told.error.message).toMatch(/^The unmodified workspace ended as exit-code: /);
});

test('check refuses a pool that has no slots, instead of waiting for one', async () => {
  const budget = { seconds: 5, kind: 'wall' as const };
  const run = { command: 'sh run.sh', budget, artefacts: [{ path: 'out.txt' }], resources: { pool: 'gpuu' } };
  const { code, stderr } = await check('poolless', { run });
  expect(code).toBe(2);
  expect(stderr).toContain('run.resources.pool: expected local (this machine), got gpuu');
});
