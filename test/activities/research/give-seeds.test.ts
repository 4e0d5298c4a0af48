import { asc, eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { trials, wantedRuns } from '../../../db/schema.ts';
import type { TrialKind } from '../../../domain/trial.ts';
import { BASELINE, insertResearch, trialRow, WINNER } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { admitTrials, hashesOf } from '../../support/database/admit-trials.ts';

const bench = useDatabase();

/** Hashes with sixteen values, so that draws soon repeat. */
const poor = (secret: string) => {
  const { sha256, hmac } = hashesOf(secret);
  const few = (hash: string): string => hash.slice(0, 1).repeat(64);
  return { sha256: (text: string) => few(sha256(text)), hmac: (text: string) => few(hmac(text)) };
};

/** Admits, in this order, so many wanted runs of a kind or so many proposals, each as one admission. */
async function admit(
  researchId: string,
  steps: (readonly [kind: TrialKind, count: number])[],
  hashes = hashesOf('a secret'),
): Promise<void> {
  for (const [index, [kind, count]] of steps.entries()) {
    const candidateId = kind === 'baseline' ? BASELINE : WINNER;
    const wanted = Array.from({ length: kind === 'search' ? 0 : count }, () => ({ researchId, kind, candidateId }));
    if (wanted.length > 0) await bench.db.insert(wantedRuns).values(wanted);
    const ask = { researchId, key: `k${index}`, room: count, activeSeconds: 0, proposals: kind === 'search' };
    const { trials: admitted } = await admitTrials(bench.store, ask, hashes);
    expect(admitted.map((trial) => trial.kind)).toEqual(Array.from({ length: count }, () => kind));
    // Workflow history holds no other seed than the run's.
    for (const spec of admitted) expect(Object.keys(spec).filter((key) => /seed/i.test(key))).toEqual(['seed']);
  }
}

const rowsOf = (id: string) => bench.db.select().from(trials).where(eq(trials.researchId, id)).orderBy(asc(trials.n));

/** Seeds of a research's trials by kind, each in the order of that kind. */
async function seedsOf(id: string, column: 'seed' | 'evaluatorSeed' | 'proposerSeed') {
  const byKind: Partial<Record<TrialKind, (number | null)[]>> = {};
  for (const row of await rowsOf(id)) (byKind[row.kind] ??= []).push(row[column]);
  return byKind;
}

const A = [
  ...Array.from({ length: 10 }, () => ['baseline', 1] as const),
  ...Array.from({ length: 12 }, () => ['search', 1] as const),
  ['confirm', 3],
  ['remeasure', 4],
  ['search', 3],
] as const;
const B = [
  ['baseline', 4],
  ['search', 5],
  ['baseline', 6],
  ['remeasure', 1],
  ['search', 10],
  ['confirm', 2],
  ['remeasure', 3],
  ['confirm', 1],
] as const;

describe('two researches of one root', () => {
  test.each([
    ['hashes as they are', hashesOf],
    ['hashes that collide', poor],
  ])('have the same seeds in whatever order and windows they admit, with %s', async (name, hashes) => {
    const [one, other] = [`one ${name}`, `other ${name}`];
    for (const id of [one, other]) await insertResearch(bench.db, id, { seedRoot: `root ${name}` });
    await admit(one, [...A], hashes('a secret'));
    await admit(other, [...B], hashes('a secret'));
    for (const stream of ['seed', 'evaluatorSeed'] as const) {
      const seeds = await seedsOf(one, stream);
      expect(await seedsOf(other, stream)).toEqual(seeds);
      const all = Object.values(seeds).flat();
      expect(all).toHaveLength(10 + 15 + 3 + 4);
      expect(new Set(all).size).toBe(all.length);
      expect(all).not.toContain(null);
    }
  });

  test('have proposer seeds of their own, and evaluator seeds by the secret of their installation', async () => {
    for (const id of ['here', 'there', 'elsewhere']) await insertResearch(bench.db, id, { seedRoot: 'shared' });
    for (const id of ['here', 'there']) await admit(id, [['search', 3]]);
    await admit('elsewhere', [['search', 3]], hashesOf('another secret'));
    const seeds = async (column: 'seed' | 'evaluatorSeed' | 'proposerSeed') =>
      Promise.all(['here', 'there', 'elsewhere'].map((id) => seedsOf(id, column)));
    const [here, there, elsewhere] = await seeds('proposerSeed');
    expect(new Set([here, there, elsewhere].flatMap((one) => one?.search ?? [])).size).toBe(9);
    const asked = await seeds('evaluatorSeed');
    expect(asked[1]).toEqual(asked[0]);
    expect(asked[2]?.search?.filter((seed) => asked[0]?.search?.includes(seed))).toEqual([]);
    const runs = await seeds('seed');
    expect(runs).toEqual([runs[0], runs[0], runs[0]]);
    // The seed of a run does not show the seed of its evaluator.
    expect(asked[0]).not.toEqual(runs[0]);
  });
});

test('researches without a root that was named have seeds of their own', async () => {
  for (const id of ['first', 'second']) {
    await insertResearch(bench.db, id);
    await admit(id, [['search', 4]]);
  }
  const both = [await seedsOf('first', 'seed'), await seedsOf('second', 'seed')].flatMap((one) => one.search ?? []);
  expect(new Set(both).size).toBe(8);
});

test('an admission that is repeated gives the seeds that it gave', async () => {
  await insertResearch(bench.db, 'repeated');
  await admit('repeated', [['search', 3]]);
  const before = await rowsOf('repeated');
  const ask = { researchId: 'repeated', key: 'k0', room: 3, activeSeconds: 0, proposals: true };
  const { trials: again } = await admitTrials(bench.store, ask);
  expect(again.map(({ seed }) => seed)).toEqual(before.map(({ seed }) => seed));
  expect(await rowsOf('repeated')).toEqual(before);
});

test('no trial gets a seed that an older version gave in its research, and the older trial keeps it', async () => {
  await insertResearch(bench.db, 'plain', { seedRoot: 'of both' });
  await admit('plain', [['search', 1]]);
  const [plain] = await rowsOf('plain');
  const old = trialRow('aged', 1, { kind: 'baseline', candidateId: BASELINE, seed: plain!.seed });
  await insertResearch(bench.db, 'aged', { seedRoot: 'of both', lastN: 1, admitted: { baseline: 1 } });
  await bench.db.insert(trials).values(old);
  await admit('aged', [['search', 2]]);
  const [kept, first] = await rowsOf('aged');
  expect(kept).toMatchObject({ seed: plain!.seed, evaluatorSeed: null, proposerSeed: null });
  expect(first!.seed).not.toBe(plain!.seed);
  // The other stream has no such collision.
  expect(first!.evaluatorSeed).toBe(plain!.evaluatorSeed);
});
