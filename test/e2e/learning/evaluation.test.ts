import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endServers } from '../../support/policy/end-servers.ts';
import { FAKE_PROGRAM } from '../../support/policy/fake.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { evaluate, evaluationOf, readSamples } from './evaluation/support.ts';
import { ended, learningTask, updated } from './support.ts';

let stack: TestStack;
let hold: string;

beforeAll(async () => {
  stack = await startTestStack();
  hold = join(stack.home, 'hold');
  const env = { PERPETUA_POLICY_PROGRAM: JSON.stringify([...FAKE_PROGRAM, '--hold', hold]) };
  await stack.startWorker({ slots: 2, env });
  const update = { name: 'grpo', batch: 4, group: 4, gates: [], keep: 1 };
  const task = await learningTask(stack.home, 'trained', { update });
  await stack.startResearch('trained', { task, budget: { proposals: 8 } });
  await stack.until('the research to end', ended, ['trained']);
  await stack.until('its updates', updated, ['trained', 2]);
});
afterAll(async () => {
  await stack.stop();
  await endServers(stack.home);
});

describe('perpetua policy eval', () => {
  test('runs each of its samples, copies included, and learns and claims nothing', async () => {
    const before = await stack.query(`select * from researches where id = 'trained'`);
    const { code, json, stderr } = await evaluate(stack, ['trained', '2', '--samples', '16', '--json']);
    expect([code, stderr]).toEqual([0, expect.stringContaining(' of 16 samples')]);
    const [result] = json() as [Awaited<ReturnType<typeof evaluationOf>>];
    expect(result).toMatchObject({
      policy: { workflowId: 'trained', version: 2 },
      task: 'trained',
      samples: 16,
      ended: 16,
      lost: 0,
      readable: { n: 16 },
      baseline: { n: 1 },
    });
    const samples = await readSamples(stack, result.workflowId);
    // More than the dozen answers that the policy has.
    expect(samples).toHaveLength(16);
    expect(samples.filter(({ status }) => status === 'cached')).toEqual([]);
    const readable = samples.filter(({ status }) => status !== 'rejected');
    expect(new Set(readable.map(({ candidate_id }) => candidate_id)).size).toBeLessThan(readable.length);
    expect(readable.every(({ runs }) => runs === 1)).toBe(true);
    expect(new Set(samples.map((row) => row.version))).toEqual(new Set([result.policy.checkpoint]));
    expect(result.value.n).toBe(readable.length);
    expect(result.reward?.n).toBe(16);
    const [learnt] = await stack.query(
      `select (select count(*)::int from updates where research_id = $1) as updates,
         (select count(*)::int from claims where research_id = $1) as claims,
         (select count(*)::int from trials where research_id = $1 and kind not in ('search', 'baseline')) as others`,
      [result.workflowId],
    );
    expect(learnt).toEqual({ updates: 0, claims: 0, others: 0 });
    expect(await stack.query(`select * from researches where id = 'trained'`)).toEqual(before);
    const shared = await stack.query(
      `select a.seed from trials a join trials b using (seed)
       where a.research_id = 'trained' and b.research_id = $1`,
      [result.workflowId],
    );
    expect(shared).toEqual([]);
  });

  test('evaluates while its research is at work, on another task', async () => {
    const update = { name: 'grpo', batch: 4, group: 4, gates: [] };
    const task = await learningTask(stack.home, 'at-work', { update });
    await writeFile(hold, '');
    await stack.startResearch('at-work', { task, budget: { proposals: 4 } });
    await stack.until('the step', `select begun_at is not null as done from updates where research_id = 'at-work'`);
    const other = await learningTask(stack.home, 'other', { update });
    const found = await evaluate(stack, ['at-work', '0', '--task', other, '--samples', '4', '--json']);
    expect(evaluationOf(found)).toMatchObject({ task: 'other', ended: 4, policy: { version: 0, checkpoint: null } });
    expect(await stack.query(`select state from updates where research_id = 'at-work'`)).toEqual([{ state: 'due' }]);
    await rm(hold);
    await stack.until('the research to end', ended, ['at-work']);
  });

  test('refuses what is no version, number or seed root', async () => {
    for (const [argv, reason] of [
      [['trained', '9', '--samples', '4'], 'Expected a version of the policy of trained, got 9.'],
      [['trained', '1', '--samples', '4'], 'still has its weights'],
      [['trained', '2', '--samples', '0'], 'Expected --samples to be a number from 1 to'],
      [['trained', '2', '--samples', '4', '--seed', ''], 'Expected --seed to be a text'],
      [['trained', '2', '--samples', '4', '--task', 'absent'], 'There is no task "absent"'],
    ] as const) {
      const { code, stderr } = await evaluate(stack, [...argv]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    }
  });
});
