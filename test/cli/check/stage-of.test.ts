import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stageOf } from '../../../cli/check/run-once.ts';
import { preparationWait } from '../../../domain/fleet/preparing.ts';
import { runs, slots, trials } from '../../../db/schema.ts';
import { sharedServer, type Lineage, type Server } from '../support/database.ts';
import { insertResearch, trialRow, storeTrials } from '../support/lineage.ts';

let server: Server;
let lineage: Lineage;
beforeAll(async () => {
  server = sharedServer();
  lineage = await server.open();
});
afterAll(async () => {
  await lineage.close();
});

it('a check goes from starting to scoring, and never back before it is over', async () => {
  const { db } = lineage;
  const [id, now] = ['check/toy/1', new Date()];
  const stages: string[] = [];
  const read = async (): Promise<void> => void stages.push((await stageOf(db, id)).stage);
  await read();
  await insertResearch(db, id);
  await read();
  await storeTrials(db, trialRow(id, 1, { readyAt: now }));
  await read();
  const slot = { id: 's', pool: 'local', host: 'h', index: 0, fence: 1 };
  await db.insert(slots).values({ ...slot, state: 'leased', jobId: `${id}/1` });
  await db.insert(runs).values({ jobId: `${id}/1`, placement: 0, host: 'h', slotId: 's', fence: 1, launchedAt: now });
  await read();
  await db.update(runs).set({ endedAt: now, end: { reason: 'exit' } });
  await read();
  await db
    .update(trials)
    .set({ status: 'completed', endedAt: now })
    .where(eq(trials.id, `${id}/1`));
  await read();
  expect(stages).toEqual(['starting', 'starting', 'queued', 'running', 'scoring', 'scoring']);
});

it('a check names what is prepared for it, though it holds no slot meanwhile', async () => {
  const { db } = lineage;
  const id = 'check/python/1';
  await insertResearch(db, id);
  await storeTrials(
    db,
    trialRow(id, 1, { readyAt: new Date(), waitsFor: `${preparationWait('Python', 'here')}: fetching` }),
  );
  expect(await stageOf(db, id)).toEqual({ stage: 'waits for its Python on here: fetching', waits: null });
});
