import { readFile } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { admitTrials } from '../support/admit-trials.ts';
import { migrate, NewerSchemaError } from '../../db/migrate.ts';
import * as schema from '../../db/schema.ts';
import { BASELINE, insertResearch, trialRow } from '../cli/support/lineage.ts';
import { useDatabase } from './support.ts';

const bench = useDatabase();

test('0003 counts what researches of an older version have spent as if it had been counted all along', async () => {
  const { db, store } = bench;
  for (const id of ['young', 'old']) await insertResearch(db, id);
  await db.insert(schema.wantedRuns).values({ researchId: 'old', kind: 'baseline', candidateId: BASELINE });
  const ask = { researchId: 'old', key: 'k', room: 3, activeSeconds: 0, proposals: true };
  const { trials } = await admitTrials(store, ask);
  const sent = { model: 'm', request: {}, workflowRun: 'run', attempt: 1 };
  for (const { trialId } of trials.slice(1)) {
    const call = { trialId, turn: 0 };
    const mark = (await store.call.beginCall({ ...call, ...sent })) ?? '';
    const cost = { tokensIn: 3, tokensOut: null, usd: 0.5, latencySeconds: 1 };
    await store.call.saveAnswer({ ...call, mark, answer: 'a', outcome: null, ...cost });
  }
  await store.call.beginCall({ trialId: 'old/3', turn: 1, ...sent });
  const counted = await db.query.researches.findMany({ orderBy: (row) => row.id });
  expect(counted).toMatchObject([{ admitted: { baseline: 1, search: 2 }, tokens: 6, usd: 1 }, { admitted: {} }]);
  await db.execute(
    sql`alter table researches drop column admitted, drop column tokens, drop column usd, drop column last_change`,
  );
  await db.execute(sql.raw(await readFile('db/migrations/0003_counters.sql', 'utf8')));
  expect(await db.query.researches.findMany({ orderBy: (row) => row.id })).toEqual(counted);
});

test('0018 counts seconds on slots, and trials that ran nothing, of researches of an older version', async () => {
  const { db } = bench;
  for (const id of ['ran', 'empty']) await insertResearch(db, id);
  const ended = [
    trialRow('ran', 1, { kind: 'baseline', status: 'completed', seconds: 2 }),
    trialRow('ran', 2, { status: 'cached' }),
    trialRow('ran', 3, { status: 'rejected' }),
    trialRow('ran', 4, { status: 'lost', seconds: 1.5 }),
    trialRow('ran', 5, { seconds: 7 }),
  ];
  await db.insert(schema.trials).values(ended);
  await db.execute(sql`alter table researches drop column slot_seconds, drop column refunded, drop column without_new`);
  await db.execute(sql.raw(await readFile('db/migrations/0018_comparable_budgets.sql', 'utf8')));
  const rows = await db.query.researches.findMany({ orderBy: (row) => row.id });
  expect(rows.filter(({ id }) => ['ran', 'empty'].includes(id))).toMatchObject([
    { id: 'empty', slotSeconds: 0, refunded: {}, withoutNew: 0 },
    { id: 'ran', slotSeconds: 3.5, refunded: { search: 2 }, withoutNew: 0 },
  ]);
});

test('0019 makes the seeds of researches of an older version from their ids, and leaves those that trials have', async () => {
  const { db } = bench;
  await insertResearch(db, 'seeded');
  await db.insert(schema.trials).values(trialRow('seeded', 1, { seed: 77 }));
  await db.execute(sql`alter table researches drop column seed_root`);
  await db.execute(sql`alter table trials drop column evaluator_seed, drop column proposer_seed`);
  await db.execute(sql`drop index trials_seed`);
  await db.execute(sql.raw(await readFile('db/migrations/0019_trial_seeds.sql', 'utf8')));
  expect(await db.query.researches.findFirst({ where: (row, { eq }) => eq(row.id, 'seeded') })).toMatchObject({
    seedRoot: 'seeded',
  });
  const trial = await db.query.trials.findFirst({ where: (row, { eq }) => eq(row.id, 'seeded/1') });
  expect(trial).toMatchObject({ seed: 77, evaluatorSeed: null, proposerSeed: null });
});

test('a database that a newer version migrated is refused with a way out, and is left as it is', async () => {
  const { db, url } = bench;
  const done = () => db.execute(sql`select hash, created_at from drizzle.__drizzle_migrations order by id`);
  // Migrated by this version: nothing to refuse, nothing to do.
  const before = (await done()).rows;
  await migrate(url);
  expect((await done()).rows).toEqual(before);
  const later = Date.UTC(2100, 0, 1);
  await db.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${later})`);
  try {
    const refused = migrate(url);
    await expect(refused).rejects.toBeInstanceOf(NewerSchemaError);
    await expect(refused).rejects.toThrow(
      /found 2100-01-01T00:00:00\.000Z: .* newer Perpetua\. Update this checkout, or point DATABASE_URL/,
    );
    expect((await done()).rows).toHaveLength(before.length + 1);
  } finally {
    await db.execute(sql`delete from drizzle.__drizzle_migrations where hash = 'later'`);
  }
});
