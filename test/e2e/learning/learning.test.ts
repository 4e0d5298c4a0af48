import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../cli/support/cli.ts';
import { endServers } from '../../support/policy/end-servers.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';
import {
  ended,
  expectLearntOnce,
  expectLineage,
  expectRunsPerCandidate,
  FAKE_ENV,
  learningTask,
  readUpdates,
  updated,
} from './support.ts';

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
  test('rises by the rewards of its proposals, in lock step, each update once', async () => {
    const task = await learningTask(stack.home, 'rises');
    await stack.startResearch('rises', { task, budget: { proposals: 80 } });
    await stack.until('the research to end', ended, ['rises']);
    await stack.until('its updates', updated, ['rises', 10]);
    const updates = await expectLineage(stack, 'rises');
    expect(updates.map(({ batch }) => batch.length)).toEqual(Array(10).fill(8));
    expect(new Set(updates.flatMap(({ batch }) => batch)).size).toBe(80);
    const [rewards] = await stack.query<{ last: number }>(
      `select avg(t.reward) as last from rollouts r join trials t on t.id = r.trial_id
       where r.research_id = 'rises' and r.k > 8`,
    );
    // Random answers bring .52.
    expect(rewards?.last).toBeGreaterThan(0.7);
    // A copy of a candidate that has had its runs does not run, and teaches nevertheless.
    await expectRunsPerCandidate(stack, 'rises', 4);
    const [known] = await stack.query<{ cached: number; unrewarded: number }>(
      `select count(*) filter (where status = 'cached')::int as cached,
         count(*) filter (where reward is null)::int as unrewarded
       from trials where research_id = 'rises' and kind = 'search'`,
    );
    expect(known?.cached).toBeGreaterThan(20);
    expect(known?.unrewarded).toBe(0);
    const groups = await stack.query<{ parents: number; versions: number; n: number }>(
      `select count(distinct t.parent_id)::int as parents, count(distinct r.policy_version)::int as versions,
         count(*)::int as n
       from rollouts r join trials t on t.id = r.trial_id where r.research_id = 'rises' group by r.g`,
    );
    expect(groups).toEqual(Array(20).fill({ parents: 1, versions: 1, n: 4 }));
    const env = { DATABASE_URL: stack.databaseUrl, TEMPORAL_ADDRESS: stack.temporalAddress, PERPETUA_HOME: stack.home };
    const watched = (await run(['watch', 'rises'], { env })).stdout.split('\n');
    expect(watched.filter((line) => line.startsWith('update '))).toHaveLength(10);
    expect(watched.find((line) => line.startsWith('learnt: '))).toMatch(
      /^learnt: learning bought 0\.\d\d ± .*: from 0\.\d\d \(update 1\) to [01]\.\d\d \(updates 6 to 10\), by/,
    );
  });

  test('learns from all of its batches before it ends, though samples are ahead of its updates', async () => {
    const update = { name: 'grpo', batch: 4, group: 4, staleness: 1, gates: [] };
    const task = await learningTask(stack.home, 'ahead', { update });
    await stack.startResearch('ahead', { task, budget: { proposals: 12 } });
    await stack.until('the research to end', ended, ['ahead']);
    const updates = await readUpdates(stack, 'ahead');
    expect(updates.map(({ k, state, parent }) => [k, state, parent])).toEqual([
      [1, 'done', 0],
      [2, 'done', 1],
      [3, 'done', 2],
    ]);
  });

  test('waits if a gate halts it, with the version that it had', async () => {
    const gates = [{ metric: 'success', below: 2, then: 'halt' }];
    const task = await learningTask(stack.home, 'halts', { update: { name: 'grpo', batch: 4, group: 4, gates } });
    await stack.startResearch('halts', { task, budget: { proposals: 40 } });
    await stack.until(
      'the research to wait',
      `select reason like 'learning is halted: success%' as done, phase, reason from researches where id = $1`,
      ['halts'],
    );
    expect(
      await stack.query(`select in_force, pinned, halted from policies where research_id = 'halts'`),
    ).toMatchObject([{ in_force: 0, pinned: false, halted: expect.stringContaining('success') as string }]);
    expect(await readUpdates(stack, 'halts')).toMatchObject([{ k: 1, state: 'done' }]);
    const fired = await stack.query(`select kind from events where research_id = 'halts' and kind = 'gate-fired'`);
    expect(fired).toHaveLength(1);
    await stack.client.workflow.getHandle('halts').signal('stop', { now: true });
    await stack.until('the research to end', ended, ['halts']);
    // The defaults are stored with a research that begins.
    const begun = `
      select settings->'search'->'proposer'->'stop' as stop, settings->'search'->'update'->>'tokens' as tokens
      from researches where id = 'halts'`;
    expect(await stack.query(begun)).toEqual([{ stop: ['\n'], tokens: 'answer' }]);
  });

  test('has each sample and each version once though its worker dies at update-stored', async () => {
    const id = 'dies-update-stored';
    const restart = async (): Promise<void> => {
      worker = await stack.startWorker({ slots: 2, env: FAKE_ENV });
    };
    await expectLearntOnce(stack, worker, { id, killAt: 'update-stored', restart });
  });
});
