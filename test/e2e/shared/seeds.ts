import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { untilAllStopped } from '../../support/e2e/cases.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;

interface Row extends Record<string, unknown> {
  kind: string;
  run: number;
  evaluator: number;
  seed: string;
  evaluator_seed: string;
}

/** Seeds that the programs received and seeds that are stored, by kind and in the order of the trials. */
const seedsOf = (id: string): Promise<Row[]> =>
  stack.query<Row>(
    `select kind, (metrics->>'run')::float8 as run, (metrics->>'evaluator')::float8 as evaluator, seed::text,
       evaluator_seed::text from trials where research_id = $1 order by kind, n`,
    [id],
  );

export function seedsTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  test('a run and its evaluator get different seeds, and researches of one seed root the same ones', async () => {
    const task = await writeTask(join(stack.home, 'tasks/seeded'), {
      task: {
        name: 'seeded',
        keep: { policy: 'strict', baselineRuns: 2 },
        search: { parent: 'original', proposer: 'random' },
      },
      files: {
        'workspace/run.sh': 'echo "$PERPETUA_SEED" > out.txt\n',
        'evaluator/score.sh': `run=$(cat artefacts/out.txt)
printf '{"score": -1, "run": %s, "evaluator": %s}' "$run" "$PERPETUA_SEED" >&3
`,
      },
    });
    const ids = ['seeds-one', 'seeds-two', 'seeds-apart'];
    for (const [index, id] of ids.entries())
      await stack.startResearch(id, {
        task,
        window: index + 1,
        budget: { trials: 3 },
        ...(id === 'seeds-apart' ? {} : { seed: 'pair' }),
      });
    await untilAllStopped(stack, ids);
    const [one, two, apart] = await Promise.all(ids.map(seedsOf));
    expect(one).toHaveLength(5);
    for (const { run, evaluator, seed, evaluator_seed } of [...one!, ...two!, ...apart!]) {
      expect(run).toBe(Number(seed));
      expect(evaluator).toBe(Number(evaluator_seed));
      expect(evaluator).not.toBe(run);
    }
    expect(two).toEqual(one);
    const seen = new Set(one!.flatMap(({ run, evaluator }) => [run, evaluator]));
    expect(apart!.filter(({ run, evaluator }) => seen.has(run) || seen.has(evaluator))).toEqual([]);
  });
}
