import { afterAll, beforeAll } from 'vitest';
import { connect, type Db } from '../../db/connect.ts';
import { declareSlots } from '../../db/slot/slots.ts';
import { createStore, type Store } from '../../db/store.ts';
import { sharedServer } from '../cli/support/database.ts';
import { BASELINE, insertResearch, trialRow, storeTrials } from '../cli/support/lineage.ts';

export interface Bench {
  url: string;
  db: Db;
  store: Store;
  /** Another worker: a store on connections of its own. */
  another: () => Store;
}

/** A migrated database for one test file, with the queries bound to it. Its fields are set only inside tests. */
export function useDatabase(): Bench {
  const bench = {} as Bench;
  const closes: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const opened = await sharedServer().open();
    const { url, db } = opened;
    closes.push(() => opened.close());
    const another = (): Store => {
      const own = connect(url, { max: 2, onError: () => undefined });
      closes.push(own.close);
      return createStore(own.db);
    };
    Object.assign(bench, { url, db, store: createStore(db), another });
  });
  afterAll(async () => {
    await Promise.all(closes.map((close) => close()));
  });
  return bench;
}

/** Inserts a research with that many open trials `<id>/1`, `<id>/2`, … */
export async function insertTrials(db: Db, id: string, count: number): Promise<void> {
  await insertResearch(db, id, { lastN: count });
  await storeTrials(
    db,
    Array.from({ length: count }, (_, index) => trialRow(id, index + 1)),
  );
}

/** Inserts a research whose search trial 1 has its candidate, and slots of a pool with the id of the research. */
export async function insertReadyTrial(db: Db, id: string, slots = 1): Promise<string> {
  await insertResearch(db, id, { lastN: 1 });
  await storeTrials(db, trialRow(id, 1, { candidateId: BASELINE, readyAt: new Date(), pool: id }));
  await insertSlots(db, id, slots);
  return `${id}/1`;
}

/** Inserts free slots `<pool>/0`, `<pool>/1`, … on a host with the name of the pool. */
export async function insertSlots(db: Db, pool: string, count: number): Promise<void> {
  const slots = Array.from({ length: count }, (_, index) => ({
    id: `${pool}/${index}`,
    pool,
    host: pool,
    index,
    gpu: null,
  }));
  await declareSlots(db, slots, { host: pool });
}
