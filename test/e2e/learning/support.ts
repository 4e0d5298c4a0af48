import { join } from 'node:path';
import { expect } from 'vitest';
import { FAKE_PROGRAM } from '../../support/policy/fake.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

/** The model of these tests: the fake takes any name. */
const BASE = 'smollm2-135m';

/** What makes a worker sample the fake policy. */
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

/** Each update carried out once, from the version before it; each sample of the version that was in force for its batch. */
export async function expectLineage(stack: Pick<TestStack, 'query'>, researchId: string): Promise<UpdateRow[]> {
  const updates = await readUpdates(stack, researchId);
  for (const [index, { k, parent, parent_checkpoint, state }] of updates.entries()) {
    expect([k, state, parent]).toEqual([index + 1, 'done', index]);
    expect(parent_checkpoint).toBe(updates[index - 1]?.checkpoint ?? null);
  }
  const samples = await stack.query<{ k: number; version: string; g: number }>(
    'select k, policy_version as version, g from rollouts where research_id = $1 and sampled_at is not null order by seq',
    [researchId],
  );
  for (const { k, version } of samples) expect(version).toBe(updates[k - 2]?.checkpoint ?? 'base');
  return updates;
}
