import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { envOf } from '../../attacks/support/attacking.ts';
import { run } from '../../cli/support/cli.ts';
import { untilAllStopped } from '../../support/e2e/cases.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;

/** Agreement of the candidate's first run and of two more, when it is claimed. */
const AT_CLAIM = '3 runs of it agree: with 95 % confidence fewer than 64 % of its runs differ';
/** Agreement of these and of four runs after the claim. */
const AGREEMENT = '7 runs of it agree: with 95 % confidence fewer than 35 % of its runs differ';

export function exactClaimsTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  test('a claim on a metric without noise costs three more runs, then four, and says how many agree', async () => {
    const name = 'exact-claims';
    const task = await writeTask(join(stack.home, 'tasks', name), {
      task: { name, keep: { policy: 'noise-gated', baselineRuns: 3 } },
    });
    await stack.client.workflow.signalWithStart('research', {
      taskQueue: 'perpetua',
      workflowId: name,
      args: [{ task, tempo: 0.25, window: 1, budget: { trials: 1 } }],
      signal: 'inject',
      signalArgs: [{ files: { 'knobs.env': 'X=7\n' }, hypothesis: 'the top' }],
    });
    await untilAllStopped(stack, [name]);
    const runs = await stack.query<{ kind: string; runs: number; value: number }>(
      `select kind, count(*)::int as runs, min(value)::float8 as value from trials
       where research_id = $1 group by kind order by kind`,
      [name],
    );
    expect(runs).toEqual([
      { kind: 'baseline', runs: 3, value: -30.25 },
      { kind: 'confirm', runs: 2, value: 0 },
      { kind: 'injected', runs: 1, value: 0 },
      // The baseline runs once before the claim, the candidate four times after it.
      { kind: 'remeasure', runs: 5, value: -30.25 },
    ]);
    const [claim, ...others] = await stack.query<{ value: number; reason: string }>(
      'select value, reason from claims where research_id = $1',
      [name],
    );
    expect(others).toEqual([]);
    expect(claim).toMatchObject({ value: 0, reason: expect.stringContaining(AT_CLAIM) });
    const { json } = await run(['best', name, '--json'], { env: envOf(stack) });
    expect(json()).toMatchObject([{ value: 0, failed: 0, basis: AGREEMENT }]);
    const { stdout } = await run(['status', name], { env: envOf(stack) });
    expect(stdout).toMatch(new RegExp(`claim +${AGREEMENT}`));
  });
}
