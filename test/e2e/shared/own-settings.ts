import { join } from 'node:path';
import type { WorkflowFailedError } from '@temporalio/client';
import { rootCause } from '@temporalio/common';
import { beforeAll, expect, test } from 'vitest';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;

const rowOf = async (id: string) => {
  const [row] = await stack.query<{
    task_hash: string;
    overrides: object;
    settings: { search: Record<string, unknown> };
    settings_hash: string;
  }>('select task_hash, overrides, settings, settings_hash from researches where id = $1', [id]);
  return row;
};

export function ownSettingsTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  test('a research keeps its own values, stored with a hash, over restarts and changes of task', async () => {
    const folder = join(stack.home, 'own');
    const task = await writeTask(folder, { task: { name: 'own', search: { parent: 'lead', proposer: 'random' } } });
    const handle = stack.client.workflow.getHandle('own');
    const start = (search: object | undefined, trials: number) =>
      stack.startResearch('own', { task, budget: { trials }, ...(search ? { search } : {}) });

    await start({ parent: 'best', abort: 'matched-time' }, 1);
    await handle.result();
    await stack.startResearch('plain', { task, budget: { trials: 1 } });
    await stack.client.workflow.getHandle('plain').result();
    const [own, plain] = [await rowOf('own'), await rowOf('plain')];
    expect(own?.overrides).toEqual({ search: { parent: 'best', abort: 'matched-time' } });
    expect(own?.settings.search).toMatchObject({ parent: 'best', abort: 'matched-time', proposer: 'random' });
    expect(plain?.settings.search).toMatchObject({ parent: 'lead' });
    expect(own?.task_hash).toBe(plain?.task_hash);
    expect(own?.settings_hash).not.toBe(plain?.settings_hash);
    const reasons = await stack.query(`select parent_reason from trials where research_id = 'own' and kind = 'search'`);
    expect(reasons).toEqual([{ parent_reason: 'the incumbent' }]);

    await start({ parent: 'original' }, 2);
    const refused: unknown = await handle.result().catch((error: unknown) => error);
    expect(rootCause((refused as WorkflowFailedError).cause)).toContain(
      'search.parent: expected "best", which research own has; got "original"; ' +
        'leave it out, or start the research under another workflow id',
    );
    await start({ parent: 'best' }, 2);
    await handle.result();
    expect(await rowOf('own')).toEqual(own);

    // Without progress lines nothing stops a run early, so one of the two values no longer fits.
    await writeTask(folder, { task: { name: 'own', progress: undefined, description: 'another version' } });
    await stack.startResearch('own', { task, budget: { trials: 3, whenSpent: 'wait' } });
    const changed = await handle.executeUpdate('changeTask', { args: [{ task }] });
    expect(changed).toMatchObject({
      keptIncumbent: true,
      unfit: [expect.stringMatching(/^search\.abort: expected none/)],
    });
    const after = await rowOf('own');
    expect(after?.overrides).toEqual(own?.overrides);
    expect(after?.settings.search).toMatchObject({ parent: 'best' });
    expect(after?.settings.search).not.toHaveProperty('abort');
    expect(after?.task_hash).not.toBe(own?.task_hash);
    const alerts = await stack.query(
      `select 1 from alerts where research_id = 'own' and message like '%no longer fit: search.abort%'`,
    );
    expect(alerts).toHaveLength(1);
    await handle.signal('stop', { now: true });
    await handle.result();
  });

  test('each proposal has the reward of its value, and none if nothing new is left to propose', async () => {
    // The research starts from X=1, which scores −36.
    const knobs = [{ file: 'knobs.env', name: 'X', type: 'int' as const, range: [0, 3] as [number, number] }];
    const task = await writeTask(join(stack.home, 'rewarded'), {
      task: { name: 'rewarded', knobs },
      files: { 'workspace/knobs.env': 'X=1\n' },
    });
    const search = { parent: 'original', reward: { name: 'improvement', scale: 'absolute' } };
    await stack.startResearch('rewarded', { task, budget: { trials: 5, proposals: 5 }, search });
    await stack.client.workflow.getHandle('rewarded').result();
    const trials = await stack.query<{
      kind: string;
      status: string;
      value: number | null;
      reward: number | null;
    }>(
      `select kind, status, value, reward
       from trials where research_id = 'rewarded' order by n`,
    );
    expect(trials.map(({ kind, value, reward }) => ({ kind, value, reward })).at(0)).toEqual({
      kind: 'baseline',
      value: -36,
      reward: null,
    });
    const proposals = trials.filter(({ kind }) => kind === 'search');
    expect(proposals.map(({ value }) => value).filter((value) => value !== null)).toHaveLength(3);
    expect(proposals.map(({ status }) => status)).toEqual(expect.arrayContaining(['completed', 'rejected']));
    expect(proposals.map(({ reward }) => reward)).toEqual(
      proposals.map(({ value }) => (value === null ? null : Math.max(0, value + 36))),
    );
  });
}
