import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../cli/support/cli.ts';
import { endServers } from '../../support/policy/end-servers.ts';
import { FAKE_PROGRAM } from '../../support/policy/fake.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import { ended, expectLineage, FAKE_ENV, learningTask, readUpdates, updated } from './support.ts';

let stack: TestStack;
let worker: TestWorker;
beforeAll(async () => {
  stack = await startTestStack();
  worker = await stack.startWorker({ slots: 2, env: FAKE_ENV });
});
afterAll(async () => {
  await stack.stop();
  await endServers(stack.home);
});

describe('a policy that learns', () => {
  test('begins with a version of another research, and learns on after that one is deleted', async () => {
    const update = { name: 'grpo', batch: 4, group: 4, gates: [], klCoefficient: 0.01, keep: 1 };
    const task = await learningTask(stack.home, 'source', { update });
    await stack.startResearch('source', { task, budget: { proposals: 8 } });
    await stack.until('the research to end', ended, ['source']);
    await stack.until('its updates', updated, ['source', 2]);
    const [, made] = await readUpdates(stack, 'source');
    const env = { DATABASE_URL: stack.databaseUrl, TEMPORAL_ADDRESS: stack.temporalAddress, PERPETUA_HOME: stack.home };
    const base = ['--set', 'search.proposer.base=source@2'];
    const started = await run(['start', task, '--id', 'heir', '--budget-proposals', '12', ...base], { env });
    expect(started.stdout).toContain(`  policy  smollm2-135m → source@2 (${made?.checkpoint?.slice(0, 12)})\n`);
    // Without an update the version only samples, and the learning of its own research is untouched.
    const sampling = [...base, '--set', 'search.update=none'];
    await run(['start', task, '--id', 'sampled', '--budget-proposals', '2', ...sampling], { env });
    await stack.until('the samples', ended, ['sampled']);
    expect((await run(['delete', 'source', '--yes'], { env })).code).toBe(0);
    await stack.until('the heir to end', ended, ['heir']);
    await stack.until('its updates', updated, ['heir', 3]);
    const [first, second] = await readUpdates(stack, 'heir');
    expect(first).toMatchObject({ state: 'done', parent: 0, parent_checkpoint: made?.checkpoint });
    expect(second).toMatchObject({ state: 'done', parent: 1, parent_checkpoint: first?.checkpoint });
    // KL is measured from the weights of version 0.
    expect(first?.metrics['kl']).toBeCloseTo(0, 9);
    expect(second?.metrics['kl']).toBeGreaterThan(0);
    const versions = await stack.query<{ version: string }>(
      `select distinct research_id, policy_version as version from rollouts
       where research_id = 'sampled' or (research_id = 'heir' and k = 1) order by 1`,
    );
    expect(versions.map(({ version }) => version)).toEqual([made?.checkpoint, made?.checkpoint]);
    expect(await readUpdates(stack, 'sampled')).toEqual([]);
    expect(await readdir(join(stack.home, 'checkpoints'))).toContain(made?.step_key);
  });

  test('continues as new while an update is at work, and the next run receives its end', async () => {
    await worker.stop();
    await endServers(stack.home);
    const hold = join(stack.home, 'hold');
    await writeFile(hold, '');
    const env = { PERPETUA_POLICY_PROGRAM: JSON.stringify([...FAKE_PROGRAM, '--hold', hold]) };
    worker = await stack.startWorker({ slots: 2, env });
    const task = await learningTask(stack.home, 'handed', { update: { name: 'grpo', batch: 4, group: 4, gates: [] } });
    // A slow tempo: a reconcile would find the end of the update as well.
    await stack.startResearch('handed', { task, budget: { proposals: 8 }, tempo: 1, maxHistory: 50 });
    await stack.until('the step', `select begun_at is not null as done from updates where research_id = 'handed'`);
    const first = (await stack.client.workflow.getHandle('handed/update-1').describe()).raw.workflowExecutionInfo;
    for (let n = 0; n < 12; n += 1)
      await stack.client.workflow.getHandle('handed').signal('note', { text: `note ${n}` });
    await stack.until('another run', `select run_id <> $1 as done from researches where id = 'handed'`, [
      first?.parentExecution?.runId,
    ]);
    await rm(hold);
    await stack.until('the research to end', ended, ['handed'], 40);
    await stack.until('its updates', updated, ['handed', 2]);
    await expectLineage(stack, 'handed');
  });
});
