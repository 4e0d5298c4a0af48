import { eq } from 'drizzle-orm';
import { sha256 } from '../../../bench/support/seed/rows.ts';
import type { Db } from '../../../db/connect.ts';
import { observations, researches, taskVersions, wantedRuns } from '../../../db/schema.ts';
import { Knob } from '../../../domain/knob/knob.ts';
import { HOSTILE } from '../hostile-texts.ts';

const NUMBERS = [
  'learning_rate',
  'batch_size',
  'weight_decay',
  'beta2',
  'init_scale',
  'grad_clip',
  'a_long_name_of_a_knob',
];
const CHOICE = { file: 'config.yaml', name: 'schedule', type: 'choice', values: ['none', HOSTILE[0], HOSTILE[1]] };
// With a form, the knobs stay as they are stored; without, they are read from the task's YAML.
const KNOBS = [
  ...NUMBERS.map((name) => ({ file: 'config.yaml', name, type: 'float', range: [0, 1] })),
  CHOICE,
  { file: 'config.yaml', name: 'never_set', type: 'int', range: [1, 9] },
].map((knob) => ({ ...Knob.parse(knob), form: {} }));
const CANDIDATES = 60;

/** Gives seeded researches knobs, and 60 candidates each, whose value depends on `learning_rate`. */
export async function insertKnobs(db: Db, researchIds: readonly string[]): Promise<void> {
  for (const id of researchIds) {
    const [row] = await db
      .select({ taskHash: taskVersions.hash, task: taskVersions.task })
      .from(researches)
      .innerJoin(taskVersions, eq(taskVersions.hash, researches.taskHash))
      .where(eq(researches.id, id));
    if (!row) throw new Error(`Expected the research ${id} in the database`);
    const { taskHash, task } = row;
    await db
      .update(taskVersions)
      .set({ task: { ...task, knobs: KNOBS } })
      .where(eq(taskVersions.hash, taskHash));
    await db.insert(observations).values(
      Array.from({ length: CANDIDATES }, (_, n) => {
        const drawn = NUMBERS.map((name, at) => [`config.yaml:${name}`, (((n + 1) * (2 * at + 7) * 37) % 101) / 101]);
        const knobs = { ...Object.fromEntries(drawn), 'config.yaml:schedule': CHOICE.values[n % 3] } as Record<
          string,
          number
        >;
        const value = 3 + Math.abs((knobs['config.yaml:learning_rate'] ?? 0) - 0.4);
        return {
          researchId: id,
          taskHash,
          candidateId: sha256(`${id} ${n}`),
          knobs,
          seq: n + 1,
          value,
          runs: 1,
          outcome: 'completed' as const,
        };
      }),
    );
  }
}

/** Requests two runs of the first claim of a seeded research, and two without an edit with a hostile name. */
export async function insertAblation(db: Db, researchId: string): Promise<void> {
  for (const [candidateId, edit] of [
    ['whole', null],
    ['variant', `${HOSTILE[0]}: line 1`],
  ] as const)
    for (let run = 0; run < 2; run += 1)
      await db.insert(wantedRuns).values({
        researchId,
        kind: 'ablation',
        candidateId,
        ofTrial: 12,
        proposal: { key: 'k', claim: 1, edit },
      });
}
