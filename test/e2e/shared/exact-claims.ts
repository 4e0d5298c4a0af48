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

/** Waits until that many trials have ended and no run is under way or requested. */
const untilIdle = (id: string, trials: number): Promise<void> =>
  stack.until(
    `${trials} trials of ${id}, and no more`,
    `select count(*) filter (where status is not null) = $2 and bool_and(status is not null) and not exists (
       select 1 from wanted_runs where research_id = $1 and n is null) as done, count(*)
     from trials where research_id = $1`,
    [id, trials],
  );

/** The state of the gate, without the numbers that it has counted. */
const gateOf = async (id: string): Promise<unknown> =>
  (await stack.query<{ gate: unknown }>(`select gate - 'counted' as gate from researches where id = $1`, [id]))[0];

export function exactClaimsTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  test('a claim on a metric without noise costs three more runs, then four, and can be ablated', async () => {
    const name = 'exact-claims';
    const task = await writeTask(join(stack.home, 'tasks', name), {
      task: { name, keep: { policy: 'noise-gated', baselineRuns: 3 } },
    });
    await stack.client.workflow.signalWithStart('research', {
      taskQueue: 'perpetua',
      workflowId: name,
      args: [{ task, tempo: 0.25, window: 1, budget: { trials: 1, whenSpent: 'wait' } }],
      signal: 'inject',
      signalArgs: [{ files: { 'knobs.env': 'X=7\n' }, hypothesis: 'the top' }],
    });
    await untilIdle(name, 11);
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

    const gate = await gateOf(name);
    const asked = await run(['explain', name, '--ablate', '--budget-trials', '5', '--yes'], { env: envOf(stack) });
    expect(asked.stderr).toContain('X 1.5 → 7 (knobs.env) (without it: the unmodified version)');
    expect(asked.stderr).toMatch(/and the claim without each edit, 2 times each: 4 trials, about \S+ s on slots/);
    expect(asked.stdout).toContain('runs 4 trials for claim 1');
    await untilIdle(name, 15);
    const explained = await run(['explain', name, '--json'], { env: envOf(stack) });
    const edit = {
      edit: 'X 1.5 → 7 (knobs.env)',
      isOriginal: true,
      with: 0,
      without: -30.25,
      runsWith: 2,
      runsWithout: 2,
    };
    expect(explained.json()).toMatchObject([
      { ablations: [{ claim: 1, ended: 2, edits: [{ ...edit, gain: 30.25, interval: [30.25, 30.25] }] }] },
    ]);
    expect(await gateOf(name)).toEqual(gate);
    await stack.client.workflow.getHandle(name).signal('stop');
    await untilAllStopped(stack, [name]);
  });
}
