import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectNoProcesses, readLedger } from '../support/ledger.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { writeTask } from '../support/tasks.ts';

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 2 });
});
afterAll(() => stack.stop());

const stopped = `select phase = 'stopped' as done, phase, reason, last_n from researches where id = $1`;

describe('the loop', () => {
  test('climbs a parabola from a plain start input, and ends with its budget', async () => {
    const task = await writeTask(join(stack.home, 'tasks/parabola'));
    await stack.startResearch('climb', { task, budget: { trials: 15 } });
    await stack.until('the research to end', stopped, ['climb']);

    const { trials, counts } = await readLedger(stack, 'climb');
    expect(trials.filter((trial) => trial.kind === 'baseline')).toHaveLength(1);
    expect(trials.filter((trial) => trial.kind === 'search')).toHaveLength(15);
    expect(trials.every((trial) => trial.status !== null)).toBe(true);
    const baseline = trials.find((trial) => trial.kind === 'baseline')?.value ?? 0;
    const best = Math.max(...trials.map((trial) => trial.value ?? -Infinity));
    expect(baseline).toBeCloseTo(-30.25);
    expect(best).toBeGreaterThan(baseline);
    const [claim] = await stack.query<{ value: number }>(
      'select value from claims where research_id = $1 order by seq desc limit 1',
      ['climb'],
    );
    expect(claim?.value).toBeCloseTo(best);
    expect(counts).toMatchObject({ leased: 0, doubled_points: 0 });
    await expectNoProcesses(stack.home);
  });

  test('stores each point of the progress lines once', async () => {
    const rows = await stack.query<{ n: string }>(
      `select string_agg(step || ':' || value, ' ' order by seq) as n from points where trial_id = 'climb/1' group by trial_id`,
    );
    expect(rows[0]?.n).toBe('1:2.5 2:1.5');
  });

  test('ends a research under the reason of its budget, visible to the workflow too', async () => {
    const result = (await stack.client.workflow.getHandle('climb').result()) as { reason: string };
    expect(result.reason).toBe('budget.trials is spent: 15 of 15');
  });

  test('goes on where it stood when it is started again under the same id', async () => {
    const task = join(stack.home, 'tasks/parabola');
    const before = await readLedger(stack, 'climb');
    await stack.startResearch('climb', { task, budget: { trials: 18 } });
    await stack.until('three more trials', `select last_n >= $2 as done from researches where id = $1`, [
      'climb',
      before.trials.length + 3,
    ]);
    await stack.client.workflow.getHandle('climb').result();
    const after = await readLedger(stack, 'climb');
    expect(after.trials.slice(0, before.trials.length)).toEqual(before.trials);
    expect(after.trials.filter((trial) => trial.kind === 'search')).toHaveLength(18);
    expect(after.trials.filter((trial) => trial.kind === 'baseline')).toHaveLength(1);
  });
});
