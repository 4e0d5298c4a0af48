import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { settle } from '../../../activities/outcome/settle.ts';
import { jobs } from '../../../db/schema.ts';
import { insertReadyTrial, insertTrials, useDatabase } from '../support.ts';

const bench = useDatabase();

const jobOf = async (id: string) => (await bench.db.select().from(jobs).where(eq(jobs.id, id)))[0];
const ending = (trialId: string, researchId: string) => ({
  ...({ trialId, researchId, status: 'lost', failure: null, value: null } as const),
  metrics: {},
  evaluatorNotes: null,
  trusted: true,
});

test('the outcome of a trial closes only its own job, at its own time, once', async () => {
  const { db, store } = bench;
  await insertTrials(db, 'closes', 2);
  await settle(store, ending('closes/1', 'closes'));
  const { endedAt } = await store.trial.loadTrial('closes/1');
  expect(endedAt).not.toBeNull();
  expect(await jobOf('closes/1')).toMatchObject({ endedAt });
  expect(await jobOf('closes/2')).toMatchObject({ endedAt: null });
  await settle(store, ending('closes/1', 'closes'));
  expect(await jobOf('closes/1')).toMatchObject({ endedAt });
});

test('a refused outcome leaves the job open', async () => {
  const { db, store } = bench;
  const trialId = await insertReadyTrial(db, 'fenced', 1);
  const by = { placement: 0, follower: 9 };
  expect(await store.trial.writeOutcome({ ...ending(trialId, 'fenced'), by })).toBeUndefined();
  expect(await jobOf(trialId)).toMatchObject({ endedAt: null });
});

test('only a trial may have an id that ends in a number', async () => {
  const insert = (id: string) =>
    bench.db.execute(sql`insert into jobs (id, kind, pool, priority, spec) values (${id}, 'command', 'p', 3, '{}')`);
  await expect(insert('command/toy/7')).rejects.toMatchObject({ cause: { constraint: 'jobs_no_trial' } });
  await insert('command/toy/7f');
});
