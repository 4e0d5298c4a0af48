import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { release, untilStopped } from '../../support/e2e/slow-task.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { begin, loserOf } from './losing-run.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 4 });
});
afterAll(() => stack.stop());

describe('a run that cannot win', () => {
  test('is stopped as well if it prints more lines before burn-in than are kept', async () => {
    await begin(stack, 'flood', 0);
    await untilStopped(stack, 'flood');
    expect(await loserOf(stack, 'flood')).toMatchObject({ status: 'aborted', failure: 'cannot-win', value: null });
  });

  test('goes on to its end if it is audited', async () => {
    await begin(stack, 'audited', 30);
    await stack.until(
      'it to be wished away',
      `select count(*) = 1 as done from runs join trials on trials.id = trial_id
       where research_id = $1 and (abort->>'audited')::boolean and (abort->>'auditProbability')::float8 = 1`,
      ['audited'],
    );
    release(stack, 'audited');
    await untilStopped(stack, 'audited');
    expect(await loserOf(stack, 'audited')).toMatchObject({ status: 'completed', failure: null, verdict: 'discard' });
  });
});
