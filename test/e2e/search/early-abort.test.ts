import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import { startsOf, trialsOf, untilStopped } from '../../support/e2e/slow-task.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { BEFORE, begin, HALF, loserOf } from './losing-run.ts';

let stack: TestStack;
let worker: TestWorker;
const startWorker = (): Promise<TestWorker> => stack.startWorker({ slots: 4 });

beforeAll(async () => {
  stack = await startTestStack();
  worker = await startWorker();
});
afterAll(() => stack.stop());

describe('a run that cannot win', () => {
  test('is stopped halfway: no failure and no number, its curve and forecast kept, its slot free', async () => {
    await begin(stack, 'lost-cause', 0);
    await untilStopped(stack, 'lost-cause');
    const trial = await loserOf(stack, 'lost-cause');
    expect(trial).toMatchObject({
      status: 'aborted',
      failure: 'cannot-win',
      value: null,
      verdict: 'none',
      steps: HALF,
    });
    expect(trial.failure_message).toMatch(
      /^stopped at 50 %, forecast \S+ ± \S+ against \S+: at 50 % it is \S+ standard errors worse than/,
    );
    // The reason that the next prompt shows.
    const reasons = await stack.query<{ reason: string }>(
      `select reason from trials where research_id = 'lost-cause' and n = $1`,
      [trial.n],
    );
    expect(reasons).toEqual([{ reason: `aborted (cannot-win): ${trial.failure_message}` }]);
    const records = await stack.query<{ share: number; abort: boolean; audited: boolean; low: number }>(
      `select (abort->>'share')::float8 as share, (abort->>'abort')::boolean as abort,
         (abort->>'audited')::boolean as audited, (abort->'interval'->>'low')::float8 as low
       from runs join trials on trials.id = trial_id where research_id = 'lost-cause' and (abort->>'abort')::boolean`,
    );
    expect(records).toEqual([{ share: 0.5, abort: true, audited: false, low: expect.any(Number) as number }]);
    expect(await stack.query("select 1 from slots where state = 'leased'")).toEqual([]);
    const others = (await trialsOf(stack, 'lost-cause')).filter(({ n }) => n !== trial.n);
    expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 1 + BEFORE }, () => 'completed'));
  });

  test('is stopped once, by the stored decision, if the worker dies right after it', async () => {
    worker.dieAt(FAULTS['worker-dies-deciding/local/random'][0]);
    await begin(stack, 'killed', 0);
    await worker.gone;
    expect(worker.process.signalCode).toBe('SIGKILL');
    const decided = `select trial_id, abort from runs where (abort->>'abort')::boolean and trial_id like 'killed/%'`;
    const before = await stack.query<{ trial_id: string }>(decided);
    worker = await startWorker();
    await untilStopped(stack, 'killed');
    const after = await stack.query<{ trial_id: string }>(decided);
    expect(after).toEqual(expect.arrayContaining(before));
    expect(before).toHaveLength(1);
    expect(await loserOf(stack, 'killed')).toMatchObject({ failure: 'cannot-win', runs: 1, steps: HALF });
    expect(Object.values(startsOf(stack, 'killed')).every((starts) => starts === 1)).toBe(true);
  });
});
