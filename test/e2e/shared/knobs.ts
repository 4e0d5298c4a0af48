import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { TestStack } from '../../support/stack.ts';

let stack: TestStack;

/** Nine combinations. The best needs a change of both knobs at once: a change of one alone is worse than the start. */
const SCRIPT = `#!/bin/sh
A=a0
B=b0
case $A$B in a0b0) loss=0.5 ;; a1b1) loss=0.1 ;; a2b2) loss=0.2 ;; *) loss=0.9 ;; esac
echo "loss: $loss"
`;
const knob = (name: string, values: readonly number[] = [0, 1, 2]) => ({
  file: 'k.sh',
  name,
  type: 'choice',
  values: values.map((i) => `${name.toLowerCase()}${i}`),
});

async function writeTrap(
  id: string,
  { proposer = 'random', valuesOfA }: { proposer?: string; valuesOfA?: readonly number[] } = {},
): Promise<string> {
  const folder = join(stack.home, 'tasks', id);
  const file = join(folder, 'workspace/k.sh');
  await mkdir(join(folder, 'workspace'), { recursive: true });
  await writeFile(file, SCRIPT);
  await chmod(file, 0o700);
  const task = {
    name: id,
    description: 'The best needs two knobs at once.',
    mutable: ['k.sh'],
    run: { command: './k.sh', budget: { seconds: 5 }, resources: { diskMb: 64 } },
    metric: { name: 'loss', direction: 'minimize', from: 'stdout' },
    evaluator: { type: 'none' },
    keep: { policy: 'strict' },
    search: { proposer, abort: 'none' },
    knobs: [knob('A', valuesOfA), knob('B')],
  };
  await writeFile(join(folder, 'task.yaml'), stringify(task));
  return folder;
}

const rowsOf = (id: string) =>
  stack.query<{ status: string; failure: string | null; candidate: string | null; value: number | null }>(
    `select status, failure, candidate_id as candidate, value from trials
     where research_id = $1 and kind = 'search' order by n`,
    [id],
  );

const knobsOf = (id: string) =>
  stack.query<{ knobs: Record<string, string> | null }>(
    'select candidate_id, knobs from observations where research_id = $1 order by candidate_id',
    [id],
  );

export function knobsTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  describe('a mutable program that may be executed', () => {
    test.each([
      [1, 'random', 'every value of the knobs'],
      [3, 'grid', 'every candidate of grid'],
    ])(
      'runs once with each combination of its knobs, and the research ends with that reason (window %i, %s)',
      async (window, proposer, all) => {
        const id = `trap-${proposer}`;
        await stack.startResearch(id, { task: await writeTrap(id, { proposer }), window, budget: { trials: 25 } });
        const result = (await stack.client.workflow.getHandle(id).result()) as { reason: string };
        expect(result.reason).toMatch(new RegExp(`^${all} has been tried; to continue, `));
        const rows = await rowsOf(id);
        const ran = rows.filter(({ status }) => status === 'completed');
        expect(ran.map(({ value }) => value).toSorted()).toEqual([0.1, 0.2, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9]);
        expect(new Set(ran.map(({ candidate }) => candidate)).size).toBe(8);
        const others = rows.filter(({ status }) => status !== 'completed');
        expect(others.map(({ failure }) => failure)).toEqual(others.map(() => 'nothing-new'));
        expect(others.length).toBeLessThanOrEqual(window);
        const [claim] = await stack.query<{ value: number }>(
          'select value from claims where research_id = $1 order by seq desc limit 1',
          [id],
        );
        expect(claim?.value).toBe(0.1);
        expect(await knobsOf(id)).toHaveLength(9);
      },
    );

    test('labels a proposal that replaced repeated draws, with the reason', async () => {
      const taken = await stack.query<{ why: string }>(
        `select distinct proposer_reason as why from trials
         where research_id = 'trap-random' and proposer = 'neighbours'`,
      );
      // One proposal follows the other, with seeds of the research's id, so each run of this test makes the same ones.
      expect(taken.map(({ why }) => why)).toEqual([
        'all 8 draws of random repeated earlier candidates, so other values were taken',
      ]);
      const drawn = await stack.query<{ why: string }>(
        `select distinct proposer_reason as why from trials where research_id = 'trap-random' and proposer = 'random'`,
      );
      expect(drawn).toEqual([{ why: 'the proposer of the research' }]);
    });

    test('waits if its budget says so, and continues with an edit of a person', async () => {
      const id = 'trap-waits';
      await stack.startResearch(id, { task: await writeTrap(id), window: 2, budget: { whenSpent: 'wait' } });
      const waiting = `select phase = 'waiting' as done, phase, reason from researches where id = $1`;
      await stack.until('it to wait', waiting, [id]);
      const tried = (await rowsOf(id)).filter(({ status }) => status === 'completed').length;
      expect(tried).toBe(8);
      const handle = stack.client.workflow.getHandle(id);
      await handle.signal('inject', { files: { 'k.sh': SCRIPT.replace('loss: ', 'loss: -') } });
      await stack.until(
        'the combinations of the edit',
        `select count(*) = 16 as done, count(*) from trials
         where research_id = $1 and kind = 'search' and status = 'completed'`,
        [id],
      );
      await stack.until('it to wait again', waiting, [id]);
      await handle.signal('stop');
      await handle.result();
    });

    test('stays inside a changed search space that its claim lies outside of, until that is exhausted', async () => {
      const id = 'trap-changed';
      const task = await writeTrap(id);
      await stack.startResearch(id, { task, window: 1, budget: { whenSpent: 'wait' } });
      const waiting = (ran: number) =>
        stack.until(
          `it to wait after ${ran} candidates`,
          `select phase = 'waiting' and ended = ${ran} as done, phase, reason, ended
           from researches, (select count(*) as ended from trials
             where research_id = $1 and kind = 'search' and status = 'completed') ran where id = $1`,
          [id],
        );
      await waiting(8);
      await writeTrap(id, { valuesOfA: [0, 2, 3] });
      const handle = stack.client.workflow.getHandle(id);
      const answer = await handle.executeUpdate('changeTask', { args: [{ task }] });
      expect(answer).toMatchObject({
        keptIncumbent: true,
        outside: expect.stringContaining('lies outside the new search space: A = a1 (allowed: a0, a2 and a3)'),
      });
      await waiting(11);
      const drawn = await stack.query<{ a: string; b: string }>(
        `select knobs->>'k.sh:A' as a, knobs->>'k.sh:B' as b from observations
         where research_id = $1 and task_hash = (select task_hash from researches where id = $1) order by b`,
        [id],
      );
      expect(drawn).toEqual(['b0', 'b1', 'b2'].map((b) => ({ a: 'a3', b })));
      await handle.signal('stop');
      await handle.result();
    });

    test('gets the knobs of its candidates from their files if an older version stored none', async () => {
      const id = 'trap-waits';
      const stored = await knobsOf(id);
      expect(stored).toContainEqual(expect.objectContaining({ knobs: { 'k.sh:A': 'a1', 'k.sh:B': 'b1' } }));
      await stack.query('update observations set knobs = null where research_id = $1 returning 1', [id]);
      await stack.startResearch(id, { task: await writeTrap(id), window: 2, budget: { whenSpent: 'wait' } });
      await stack.until(
        'the knobs to be read',
        `select count(*) filter (where knobs is null) = 0 as done, count(*) from observations where research_id = $1`,
        [id],
      );
      expect(await knobsOf(id)).toEqual(stored);
      const handle = stack.client.workflow.getHandle(id);
      await handle.signal('stop');
      await handle.result();
    });
  });
}
