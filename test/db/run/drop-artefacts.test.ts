import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { countDroppable, dropArtefacts } from '../../../db/run/drop-artefacts.ts';
import { artefacts, blobs, candidates, claims, researches, trials } from '../../../db/schema.ts';
import { BASELINE, hashOf, insertResearch, trialRow, WINNER, storeTrials } from '../../cli/support/lineage.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();
const SPARED = { last: 2, olderThanSeconds: 3600 };
const LONG_AGO = new Date(Date.now() - 86_400_000);

/** Inserts a trial that ended long ago and left a file with that content, which is unique by default. */
async function left(id: string, n: number, how: { content?: string; row?: Parameters<typeof trialRow>[2] } = {}) {
  const { content = `content of ${id}/${n}`, row } = how;
  const ended = { candidateId: WINNER, status: 'completed' as const, verdict: 'discard' as const, endedAt: LONG_AGO };
  await storeTrials(bench.db, trialRow(id, n, { ...ended, ...row }));
  const hash = hashOf(content);
  await bench.db
    .insert(blobs)
    .values({ hash, content: Buffer.from(content) })
    .onConflictDoNothing();
  await bench.db.insert(artefacts).values({ jobId: `${id}/${n}`, placement: 0, path: 'out.txt', blobHash: hash });
}

/** The numbers of the trials whose artefact still has its contents. */
async function whole(id: string): Promise<number[]> {
  const rows = await bench.db
    .select({ n: trials.n })
    .from(artefacts)
    .innerJoin(blobs, eq(blobs.hash, artefacts.blobHash))
    .innerJoin(trials, eq(trials.id, artefacts.jobId))
    .where(eq(trials.researchId, id))
    .orderBy(trials.n);
  return rows.map(({ n }) => n);
}

test('contents of the best run of all stay, whatever its verdict', async () => {
  await insertResearch(bench.db, 'single', { lastN: 20 });
  for (const [index, value] of [2, 1, 3, 0.5].entries())
    await left('single', index + 1, { row: { value, trusted: value !== 0.5 } });
  await left('single', 5, { row: { value: Number.NaN, trusted: true } });
  await dropArtefacts(bench.db, SPARED);
  expect(await whole('single')).toEqual([2]);
});

test('contents of old artefacts are dropped, except shared ones and those of keeps, claims and baselines', async () => {
  await insertResearch(bench.db, 'old', { lastN: 14 });
  await left('old', 1, { row: { kind: 'baseline' } });
  await left('old', 2, { row: { verdict: 'keep' } });
  await left('old', 3);
  await left('old', 4, { row: { endedAt: new Date() } });
  await left('old', 5, { row: { status: null, endedAt: null } });
  // The workspace of the task and a candidate share these contents.
  await left('old', 6, { content: '#!/bin/sh\nnode train.mjs\n' });
  await left('old', 7, { content: 'const LR = 0.05;\n' });
  // Trial 8 shares its contents with a kept trial. Those of 9 and 10 are shared only between these two.
  await left('old', 8, { content: 'content of old/2' });
  for (const n of [9, 10]) await left('old', n, { content: 'twice' });
  // The races of these trials are open, or wait for the baseline.
  await left('old', 11, { row: { verdict: 'confirm' } });
  await left('old', 12, { row: { verdict: 'none' } });
  await left('old', 13);
  await left('old', 14);
  const claim = { candidateId: WINNER, ofTrial: 3, value: 1, n: 1, reason: 'better' };
  await bench.db.insert(claims).values({ researchId: 'old', seq: 1, ...claim });

  const bytes = 'twice'.length;
  expect(await countDroppable(bench.db, SPARED)).toEqual({ files: 1, bytes });
  const before = await whole('old');
  expect(before).toHaveLength(14);
  expect(await dropArtefacts(bench.db, SPARED)).toEqual({ files: 1, bytes });
  expect(await whole('old')).toEqual(before.filter((n) => n !== 9 && n !== 10));
  const rows = await bench.db
    .select()
    .from(artefacts)
    .where(eq(artefacts.blobHash, hashOf('twice')));
  expect(rows.map(({ path, size }) => ({ path, size }))).toEqual([
    { path: 'out.txt', size: bytes },
    { path: 'out.txt', size: bytes },
  ]);
  expect(await dropArtefacts(bench.db, SPARED)).toEqual({ files: 0, bytes: 0 });
});

test('contents of a discarded trial, but not of re-runs, stay while a later race may keep its candidate', async () => {
  await insertResearch(bench.db, 'followed', { lastN: 20 });
  const names = ['lead', 'former', 'waiting', 'followed', 'forgotten'];
  const ids = names.map(hashOf);
  await bench.db.insert(candidates).values(ids.map((id) => ({ id, immutableHash: 'i', files: {} })));
  const [leadId = '', former, waiting, followed] = ids;
  const gate = sql`gate || ${JSON.stringify({
    leadId,
    trail: [former],
    held: [{ candidateId: waiting }],
    subjects: [{ candidateId: BASELINE }, { candidateId: followed }],
  })}::jsonb`;
  await bench.db.update(researches).set({ gate }).where(eq(researches.id, 'followed'));
  for (const [at, candidateId] of ids.entries()) await left('followed', at + 1, { row: { candidateId } });
  await left('followed', 6, { row: { candidateId: leadId, kind: 'confirm', verdict: 'none' } });
  await left('followed', 7, { row: { candidateId: BASELINE, kind: 'remeasure', verdict: 'none' } });
  expect(await dropArtefacts(bench.db, SPARED)).toMatchObject({ files: 3 });
  expect(await whole('followed')).toEqual([1, 2, 3, 4]);
});

/** The number of removals that wait for a transaction that stores contents. */
async function waiting(): Promise<number> {
  const found = await bench.db.execute(
    sql`select 1 from pg_locks where relation = 'blobs'::regclass and mode = 'ShareRowExclusiveLock' and not granted`,
  );
  return found.rows.length;
}

test('contents that are stored again during a removal stay, and keep their reference', async () => {
  await insertResearch(bench.db, 'again', { lastN: 9 });
  await left('again', 1, { content: 'same' });
  await left('again', 9, { row: { status: null, endedAt: null } });
  // Another run stores the same contents, and its artefact is not inserted yet.
  let removal: Promise<unknown> = Promise.resolve();
  await bench.db.transaction(async (tx) => {
    await tx
      .insert(blobs)
      .values({ hash: hashOf('same'), content: Buffer.from('same') })
      .onConflictDoNothing();
    removal = dropArtefacts(bench.db, SPARED);
    await expect.poll(waiting).toBe(1);
    await tx.insert(artefacts).values({ jobId: 'again/9', placement: 0, path: 'late.txt', blobHash: hashOf('same') });
  });
  await removal;
  expect(
    await bench.db
      .select()
      .from(blobs)
      .where(eq(blobs.hash, hashOf('same'))),
  ).toHaveLength(1);
  await bench.db.update(researches).set({ lastN: 100 }).where(eq(researches.id, 'again'));
  await bench.db.update(trials).set({ status: 'crashed', endedAt: LONG_AGO }).where(eq(trials.id, 'again/9'));
  expect(await dropArtefacts(bench.db, SPARED)).toMatchObject({ files: 2 });
});
