import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { connect } from '../../../db/connect.ts';
import { createStore, type Store } from '../../../db/store.ts';
import type { KnobValue } from '../../../domain/knob/knob-value.ts';
import type { Overrides } from '../../../domain/task/overrides.ts';
import { recomputedTree, rounded, storedTree } from '../../support/database/tree-oracle.ts';
import type { TestStack } from '../../support/stack.ts';

/** A program of milliseconds whose loss is smallest at X = 7, Y = 4 and Z = b. */
const PROGRAM = `#!/bin/sh
X=1.5
Y=2
Z=a
case $Z in a) z=3 ;; b) z=0 ;; c) z=1 ;; esac
awk "BEGIN { print \\"loss: \\" ($X - 7) ^ 2 + ($Y - 4) ^ 2 + $z }"
`;
const file = 'knobs.sh';

/** The knobs of the task, with the values of the unmodified version. */
export const KNOBS = [
  { file, name: 'X', type: 'float', range: [0, 20] },
  { file, name: 'Y', type: 'int', range: [1, 9] },
  { file, name: 'Z', type: 'choice', values: ['a', 'b', 'c'] },
] as const;

/** Writes the task under a name, and returns its folder. `numbersOnly`: Z is no knob. */
export async function writeKnobTask(stack: TestStack, name: string, { numbersOnly = false } = {}): Promise<string> {
  const folder = join(stack.home, 'tasks', name);
  await mkdir(join(folder, 'workspace'), { recursive: true });
  const program = join(folder, 'workspace', file);
  await writeFile(program, PROGRAM);
  await chmod(program, 0o700);
  const task = {
    name,
    description: 'Find the smallest loss.',
    mutable: [file],
    run: { command: `./${file}`, budget: { seconds: 10 }, resources: { diskMb: 64 } },
    metric: { name: 'loss', direction: 'minimize', from: 'stdout' },
    evaluator: { type: 'none' },
    // One run of the baseline is enough, since equal values have equal losses.
    keep: { policy: 'strict' },
    knobs: KNOBS.filter(({ type }) => !numbersOnly || type !== 'choice'),
  };
  await writeFile(join(folder, 'task.yaml'), stringify(task));
  return folder;
}

/** A search trial as the ledger has it. */
export interface SearchTrial {
  n: number;
  candidate: string | null;
  value: number | null;
  parent: string | null;
  parentReason: string | null;
  proposer: string | null;
  proposerReason: string | null;
  arm: string | null;
  armReward: number | null;
  /** Values of X, Y and Z; null for one that is no knob. */
  values: [number, number, KnobValue | null];
}

/** Runs a research to its end, with one trial at a time unless `window` says otherwise. */
export async function runToEnd(
  stack: TestStack,
  id: string,
  input: { task: string; overrides: Overrides; trials: number; window?: number; seed?: string },
): Promise<void> {
  const { task, overrides, trials, window = 1, seed = 'search' } = input;
  await stack.startResearch(id, { task, ...overrides, window, seed, budget: { trials } });
  await stack.client.workflow.getHandle(id).result();
}

export const readSearchTrials = (stack: TestStack, id: string): Promise<SearchTrial[]> =>
  stack.query<SearchTrial>(
    `select t.n, t.candidate_id as candidate, t.value, t.parent_id as parent, t.parent_reason as "parentReason",
       t.proposer, t.proposer_reason as "proposerReason", t.arm, t.arm_reward as "armReward",
       jsonb_build_array(o.knobs->'${file}:X', o.knobs->'${file}:Y', o.knobs->'${file}:Z') as values
     from trials t left join observations o
       on o.research_id = t.research_id and o.task_hash = t.task_hash and o.candidate_id = t.candidate_id
     where t.research_id = $1 and t.kind = 'search' order by t.n`,
    [id],
  );

/** Sums of the arms without seconds, stored and recomputed from the trials. */
async function readCredit(stack: TestStack, id: string) {
  const stored = await stack.query(
    `select key, chosen, trials, scored, round(reward::numeric, 9) as reward
     from arms where research_id = $1 order by key`,
    [id],
  );
  const recomputed = await stack.query(
    `select arm as key, count(*)::int as chosen, count(arm_reward)::int as trials,
       (count(value) filter (where arm_reward is not null))::int as scored,
       round(coalesce(sum(arm_reward), 0)::numeric, 9) as reward
     from trials where research_id = $1 and arm is not null group by arm order by arm`,
    [id],
  );
  return { stored, recomputed };
}

/** Expects the tree and the arms of a research to equal those of its trials. Returns the tree. */
export async function expectCountedOnce(stack: TestStack, id: string) {
  const { stored, recomputed } = await readCredit(stack, id);
  expect(stored).toEqual(recomputed);
  const { databaseUrl: url } = stack;
  const { db, close } = connect(url, { max: 1, onError: () => undefined });
  const another = (): Store => createStore(db);
  const bench = { url, db, store: another(), another };
  try {
    const tree = countsOf(rounded(await storedTree(bench, id)));
    if (tree.length > 0) expect(tree).toEqual(countsOf(rounded(await recomputedTree(bench, id))));
    return tree;
  } finally {
    await close();
  }
}

const countsOf = (tree: ReturnType<typeof rounded>) =>
  tree.map((node) => {
    if (node === null) return null;
    const { candidateId, parentId, depth, value, runs, below, best, visits, inFlight } = node;
    return { candidateId, parentId, depth, value, runs, below, best, visits, inFlight };
  });
