import { afterAll, beforeAll } from 'vitest';
import { connect, type Db } from '../../../../db/connect.ts';
import { readerAddress } from '../../../../db/reader/reader-address.ts';
import { readResearch, type ResearchView } from '../../../../db/reads/read-research.ts';
import { sharedServer } from '../../../cli/support/database.ts';

export interface ReadBench {
  /** The address of the database, with all rights. */
  url: string;
  /** A connection with all rights, to fill the database. */
  db: Db;
  /** A connection with the role that reads pages. */
  reader: Db;
  researchOf(id: string): Promise<ResearchView>;
  /** Returns the rows of a statement that the role executes. */
  query(statement: string, parameters: unknown[]): Promise<Record<string, unknown>[]>;
}

/** A migrated database for one test file, with the dashboard's connection. Its fields are set only inside tests. */
export function useReader(fill: (db: Db) => Promise<unknown>): ReadBench {
  const bench = {} as ReadBench;
  const closes: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const opened = await sharedServer().open();
    const { url, db } = opened;
    closes.push(() => opened.close());
    const address = await readerAddress(url);
    if (address.role !== 'reader') throw new Error(`Expected the role that reads: ${address.why}`);
    const own = connect(address.url, { max: 2, onError: () => undefined });
    closes.unshift(own.close);
    const query: ReadBench['query'] = async (statement, parameters) =>
      (await own.pool.query<Record<string, unknown>>(statement, parameters)).rows;
    Object.assign(bench, { url, db, reader: own.db, researchOf: (id: string) => researchOf(own.db, id), query });
    await fill(db);
  });
  afterAll(async () => {
    for (const close of closes) await close();
  });
  return bench;
}

async function researchOf(db: Db, id: string): Promise<ResearchView> {
  const research = await readResearch(db, { researchId: id });
  if (!research) throw new Error(`Expected the research ${id}, found none`);
  return research;
}
