import { readFile } from 'node:fs/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { asc, eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createFillKnobsActivities, hasUnread } from '../../../activities/research/fill-knobs.ts';
import { sha256 } from '../../../db/blobs.ts';
import { candidateRows } from '../../../db/trial/candidate.ts';
import * as schema from '../../../db/schema.ts';
import { storeTrials, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { candidateOf, knobResearch, lrs } from '../../support/database/knob-research.ts';

const bench = useDatabase();
const { open, propose, end, read } = knobResearch(bench);

test('candidates of an older version are counted by the migration, and their knobs read once, in batches', async () => {
  await open('old');
  for (const [n, value] of [3, 1, 2].entries()) await propose('old', n + 1, value + 10);
  await end('old', 1, 3);
  await end('old', 2, 1);
  await end('old', 3, null, 'crashed');
  await storeTrials(bench.db, trialRow('old', 4, { kind: 'confirm', candidateId: 'old-13', taskHash: 'knobby' }));
  await end('old', 4, 4);
  await propose('old', 5, 15);
  const stored = () =>
    bench.db.query.observations.findMany({
      where: eq(schema.observations.researchId, 'old'),
      orderBy: asc(schema.observations.candidateId),
    });
  const kept = await stored();
  const more = candidatesFrom(20, 130);
  await bench.db
    .insert(schema.blobs)
    .values(more.flatMap(({ blobs }) => blobs))
    .onConflictDoNothing();
  await bench.db.insert(schema.candidates).values(more.map(({ candidate }) => candidate));
  await bench.db.execute(sql`delete from observations`);
  const [, , , , , backfill = ''] = (await readFile('db/migrations/0035_observations.sql', 'utf8')).split(
    '--> statement-breakpoint',
  );
  await bench.db.execute(sql.raw(backfill));
  expect(await stored()).toEqual(kept.map((row) => ({ ...row, knobs: null, structure: null })));
  await bench.db
    .insert(schema.observations)
    .values(more.map(({ candidate: { id } }) => ({ researchId: 'old', taskHash: 'knobby', candidateId: id })));

  const research = { id: 'old', taskHash: 'knobby' };
  // A call that has no time for more reads one batch.
  expect([await hasUnread(bench, research), await fill('old', 0), await hasUnread(bench, research)]).toEqual([
    true,
    { left: true },
    true,
  ]);
  expect([await fill('old', 0), await hasUnread(bench, research), await fill('old', 0)]).toEqual([
    { left: false },
    false,
    { left: false },
  ]);
  const filled = await stored();
  expect(filled.filter(({ candidateId }) => kept.some((row) => row.candidateId === candidateId))).toEqual(kept);
  expect(filled).toHaveLength(kept.length + more.length);
});

const fill = (researchId: string, seconds?: number) =>
  new MockActivityEnvironment().run(
    createFillKnobsActivities(bench, seconds === undefined ? {} : { seconds }).fillKnobs,
    { researchId },
  );

/** Stores candidates of which nobody has read the knobs. */
async function storeUnread(researchId: string, candidates: readonly (typeof schema.candidates.$inferInsert)[]) {
  await bench.db
    .insert(schema.candidates)
    .values([...candidates])
    .onConflictDoNothing();
  await bench.db
    .insert(schema.observations)
    .values(candidates.map(({ id }, i) => ({ researchId, taskHash: 'knobby', candidateId: id, seq: i + 1, runs: 1 })));
}

test('one call reads every batch, and stops after the batch under way if it is cancelled', async () => {
  await open('batches');
  await propose('batches', 1, 1);
  const { files } = candidateRows(candidateOf('batches', 1)).candidate;
  const ids = Array.from({ length: 250 }, (_, i) => `batches-of-old-${i}`);
  await storeUnread(
    'batches',
    ids.map((id) => ({ id, immutableHash: 'i', files })),
  );
  const cancelled = new MockActivityEnvironment();
  cancelled.cancel();
  const { fillKnobs } = createFillKnobsActivities(bench);
  expect(await cancelled.run(fillKnobs, { researchId: 'batches' })).toEqual({ left: true });
  expect((await read('batches')).latest).toHaveLength(100);
  // Two workers at once.
  expect(await Promise.all([fill('batches'), fill('batches')])).toEqual([{ left: false }, { left: false }]);
  expect(lrs((await read('batches')).latest)).toEqual(Array.from({ length: 250 }, () => 1));
});

test('a candidate without a file, a value or a row is read once, and an alert names what is lost', async () => {
  await open('lost');
  const rows = [
    { id: 'lost-axis', text: 'const RATE = 1;\n' },
    { id: 'lost-value', text: 'const LR = 1 / 3;\n' },
    { id: 'lost-twice', text: 'const LR = 1;\nconst LR = 2;\n' },
  ].map(({ id, text }) => candidateRows({ id, immutableHash: 'i', files: { 'train.mjs': text } }));
  await bench.db
    .insert(schema.blobs)
    .values(rows.flatMap(({ contents }) => contents.map((content) => ({ hash: sha256(content), content }))))
    .onConflictDoNothing();
  await storeUnread('lost', [
    ...rows.map(({ candidate }) => candidate),
    { id: 'lost-content', immutableHash: 'i', files: { 'train.mjs': 'no such hash' } },
  ]);
  const alerts = async () =>
    (await bench.db.query.alerts.findMany({ where: eq(schema.alerts.researchId, 'lost') })).map(
      ({ message }) => message,
    );
  await bench.db
    .insert(schema.observations)
    .values({ researchId: 'lost', taskHash: 'knobby', candidateId: 'lost-row' });
  expect([await fill('lost'), await hasUnread(bench, { id: 'lost', taskHash: 'knobby' })]).toEqual([
    { left: false },
    false,
  ]);
  expect((await read('lost')).latest.map(({ knobs }) => knobs)).toEqual([{}, {}, {}, {}]);
  expect(await alerts()).toEqual([expect.stringMatching(/^the database has lost files of earlier candidates/)]);
});

/** Candidates as an older version stored them: rows of their own, whose files are contents by hash. */
const candidatesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => {
    const { candidate, contents } = candidateRows(candidateOf('old', first + i));
    return { candidate, blobs: contents.map((content) => ({ hash: candidate.files['train.mjs'] ?? '', content })) };
  });
