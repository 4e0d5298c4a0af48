import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { run, type Ran } from '../../cli/support/cli.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;

const command = (...argv: string[]): Promise<Ran> => {
  const { temporalAddress, databaseUrl, home } = stack;
  return run(argv, { env: { TEMPORAL_ADDRESS: temporalAddress, DATABASE_URL: databaseUrl, PERPETUA_HOME: home } });
};

/** Subject: the commands that change a research, on one research. */
export function steerCommandTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  test('commands change window, budget, task and verdict, and say what it was before', async () => {
    const id = 'by-commands';
    const task = await writeTask(join(stack.home, 'tasks', id), { task: { name: id } });
    await stack.startResearch(id, { task, window: 2, budget: { trials: 2, whenSpent: 'wait' } });
    await stack.until('its trials', `select last_n >= 3 as done from researches where id = $1`, [id]);

    const window = await command('window', id, '1');
    expect([window.stdout, window.stderr, window.code]).toEqual([`${id}: window 2 → 1 (fixed)\n`, '', 0]);

    const raised = await command('budget', id, '--trials', '3', '--hours', '5');
    expect(raised.stdout).toContain('budget.trials: 2 → 3\nbudget.hours: none → 5\n');
    expect(raised.stdout).toMatch(/of 3 trials used/);
    const removed = await command('budget', id, '--hours', 'none', '--json');
    expect(removed.json()).toMatchObject([{ workflowId: id, before: { hours: 5 } }]);
    expect((removed.json()[0] as { after: object }).after).not.toHaveProperty('hours');

    const mine = join(stack.home, 'mine.env');
    await writeFile(mine, 'X=7\n');
    // A budget that is spent starts no idea, so the budget is raised first.
    expect((await command('budget', id, '--trials', '20')).code).toBe(0);
    const idea = ['inject', id, '--file', `knobs.env=${mine}`, '-m', 'it is seven', '--key', 'mine'];
    const injected = await command(...idea, '--wait', '--json');
    expect(injected.json()).toMatchObject([{ key: 'mine', kind: 'injected', status: 'completed', verdict: 'keep' }]);
    // A quick run may end between the first two looks.
    expect(injected.stderr).toMatch(/^The idea waits for its trial|by-commands\//);
    const again = await command(...idea);
    expect(again.stdout).toContain('Its key: mine');
    const [{ count }] = (await stack.query(
      `select count(*)::int as count from trials where research_id = $1 and kind = 'injected'`,
      [id],
    )) as [{ count: number }];
    expect(count).toBe(1);

    const { trial } = injected.json()[0] as { trial: string };
    const overruled = await command('overrule', trial, 'discard', '-m', 'it was copied');
    expect(overruled.stdout).toBe(`${trial}: verdict keep → discard\n`);

    const unchanged = await command('task', id, task);
    expect(unchanged.stdout).toContain('nothing changed');
    await writeTask(join(stack.home, 'tasks', id), { task: { name: id, description: 'A new text.' } });
    const changed = await command('task', id, task);
    expect(changed.stdout).toMatch(/^by-commands: task [0-9a-f]{12} → [0-9a-f]{12}\n/);

    await command('stop', id, '--now');
    await stack.client.workflow.getHandle(id).result();
    const late = await command('window', id, '4');
    expect([late.code, late.stderr]).toEqual([2, expect.stringContaining('it has ended')]);
  });

  test('commands refuse what the research refuses, with the key', async () => {
    const id = 'refusing';
    const task = await writeTask(join(stack.home, 'tasks', id), { task: { name: id } });
    await stack.startResearch(id, { task, budget: { trials: 1, whenSpent: 'wait' } });
    await stack.until('its trials', `select last_n >= 2 as done from researches where id = $1`, [id]);
    const file = join(stack.home, 'immutable.sh');
    await writeFile(file, 'true\n');
    const injected = await command('inject', id, '--file', `run.sh=${file}`, '-m', 'x');
    expect([injected.code, injected.stderr]).toEqual([2, expect.stringContaining('files.run.sh')]);
    const overruled = await command('overrule', `${id}/1`, 'perhaps', '-m', 'x');
    expect([overruled.code, overruled.stderr]).toEqual([2, expect.stringContaining('verdict')]);
    await command('stop', id, '--now');
    await stack.client.workflow.getHandle(id).result();
  });
}
