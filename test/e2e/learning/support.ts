import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { KillPoint } from '../../../activities/deps.ts';
import { FAKE_PROGRAM } from '../../support/policy/fake.ts';
import type { TestStack, TestWorker } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

/** The model of these tests: the fake takes any name. */
const BASE = 'smollm2-135m';

/** Environment of a worker that samples the fake policy. */
export const FAKE_ENV = { PERPETUA_POLICY_PROGRAM: JSON.stringify(FAKE_PROGRAM) };

/** One learning rate, best at 1: the score is the negative distance in decades, and a run takes milliseconds. */
export const learningTask = (
  home: string,
  name: string,
  { run = {}, ...search }: Record<string, unknown> & { run?: Record<string, unknown> } = {},
): Promise<string> =>
  writeTask(join(home, 'tasks', name), {
    task: {
      name,
      mutable: ['knobs.env'],
      run: {
        command: '. ./knobs.env; echo "$lr" > out.txt',
        budget: { seconds: 60, kind: 'wall' },
        artefacts: [{ path: 'out.txt' }],
        sandbox: 'none',
        ...run,
      },
      metric: { name: 'score', direction: 'maximize', max: 0 },
      knobs: [{ file: 'knobs.env', name: 'lr', type: 'float', range: [0.0001, 100], scale: 'log' }],
      keep: { policy: 'strict', baselineRuns: 1 },
      search: {
        parent: 'original',
        context: 'none',
        proposer: { name: 'policy', base: BASE },
        reward: { name: 'improvement', failed: -1, rejected: -1 },
        update: { name: 'grpo', batch: 8, group: 4, lr: 0.002, gates: [] },
        ...search,
      },
    },
    files: {
      'workspace/knobs.env': 'lr=0.002\n',
      'evaluator/score.sh': `x=$(cat artefacts/out.txt)
printf '{"score": %s}' "$(echo "$x" | awk '{v = log($1) / log(10); print -(v < 0 ? -v : v)}')" >&3
`,
    },
  });

export interface UpdateRow {
  k: number;
  state: string;
  parent: number | null;
  step_key: string | null;
  checkpoint: string | null;
  parent_checkpoint: string | null;
  batch: string[];
  metrics: Record<string, number>;
  reason: string | null;
}

export const readUpdates = (stack: Pick<TestStack, 'query'>, researchId: string): Promise<UpdateRow[]> =>
  stack.query('select * from updates where research_id = $1 order by k', [researchId]);

/** Expects each update once, from the version before it, and each sample from the version in force for its batch. */
export async function expectLineage(stack: Pick<TestStack, 'query'>, researchId: string): Promise<UpdateRow[]> {
  const updates = await readUpdates(stack, researchId);
  for (const [index, { k, parent, parent_checkpoint, state }] of updates.entries()) {
    expect([k, state, parent]).toEqual([index + 1, 'done', index]);
    expect(parent_checkpoint).toBe(updates[index - 1]?.checkpoint ?? null);
  }
  const samples = await stack.query<{ k: number; version: string; g: number }>(
    `select k, policy_version as version, g from rollouts
     where research_id = $1 and sampled_at is not null order by seq`,
    [researchId],
  );
  for (const { k, version } of samples) expect(version).toBe(updates[k - 2]?.checkpoint ?? 'base');
  return updates;
}

/**
 * Expects that candidates ran again, none of them more than `most` times, and that all samples of a candidate have one
 * reward in a batch.
 */
export async function expectRunsPerCandidate(
  stack: Pick<TestStack, 'query'>,
  researchId: string,
  most: number,
): Promise<void> {
  const candidates = await stack.query<{ runs: number; before: number[]; kinds: string[] }>(
    `select count(*)::int as runs, array_agg(runs_before order by runs_before) filter (where kind = 'search') as before,
       array_agg(distinct kind) as kinds
     from trials where research_id = $1 and candidate_id is not null and status <> 'cached' group by candidate_id`,
    [researchId],
  );
  const searched = candidates.filter(({ kinds }) => kinds.length === 1 && kinds[0] === 'search');
  expect(Math.max(...searched.map(({ runs }) => runs))).toBe(most);
  for (const { runs, before } of searched) expect(before).toEqual(Array.from({ length: runs }, (_, index) => index));
  const rewards = await stack.query<{ rewards: number; missing: number }>(
    `select count(distinct t.reward)::int as rewards, count(*) filter (where t.reward is null)::int as missing
     from rollouts r join trials t on t.id = r.trial_id
     where r.research_id = $1 and t.candidate_id is not null group by r.k, t.candidate_id`,
    [researchId],
  );
  expect(new Set(rewards.map((row) => JSON.stringify(row)))).toEqual(new Set(['{"rewards":1,"missing":0}']));
}

export const ended = `select phase = 'stopped' as done, phase, reason from researches where id = $1`;
/** At least $2 updates of the research $1 are over. */
export const updated = `select count(*) filter (where state <> 'due') >= $2 as done, count(*)
  from updates where research_id = $1`;

/** Runs a research whose only worker dies once at a kill point. Expects each sample and each version once. */
export async function expectLearntOnce(
  stack: TestStack,
  worker: TestWorker,
  { id, killAt, restart }: { id: string; killAt: KillPoint; restart: () => Promise<void> },
): Promise<void> {
  const update = { name: 'grpo', batch: 4, group: 4, gates: [], keep: 1 };
  const task = await learningTask(stack.home, id, { update });
  worker.dieAt(killAt);
  await stack.startResearch(id, { task, budget: { proposals: 8 }, tempo: 0.05 });
  await worker.gone;
  await restart();
  await stack.until('the research to end', ended, [id]);
  await stack.until('its updates', updated, [id, 2]);
  const [first, second] = await expectLineage(stack, id);
  await expect.poll(() => readdir(join(stack.home, 'checkpoints'))).not.toContain(first?.step_key);
  expect(await readdir(join(stack.home, 'checkpoints'))).toContain(second?.step_key);
  const [samples] = await stack.query(
    `select count(*)::int as n, count(distinct seq)::int as seqs, count(sampled_at)::int as sampled
     from rollouts where research_id = $1`,
    [id],
  );
  expect(samples).toEqual({ n: 8, seqs: 8, sampled: 8 });
}
