import type pg from 'pg';
import type { Tx } from './connect.ts';

type Reads = Record<string, () => Promise<unknown>>;
type Results<R extends Reads> = { [K in keyof R]: Awaited<ReturnType<R[K]>> };

/**
 * Runs independent reads of a transaction, and returns their results by name. A connection that pipelines gets their
 * statements at once, which saves the wait for each answer; another one gets them one after the other. All reads have
 * ended when it returns or throws: a read that is left over would run in the connection's next transaction.
 */
export async function readTogether<R extends Reads>(db: Tx, reads: R): Promise<Results<R>> {
  const names = Object.keys(reads);
  const results = new Map<string, unknown>();
  const failures: unknown[] = [];
  const run = async (name: string): Promise<void> => {
    try {
      results.set(name, await reads[name]?.());
    } catch (error) {
      failures.push(error);
    }
  };
  if (isPipelined(db)) await Promise.all(names.map(run));
  else for (const name of names) if (failures.length === 0) await run(name);
  // The first failure is the cause: the statements after it only report that the transaction is aborted.
  if (failures.length > 0) throw failures[0];
  return Object.fromEntries(results) as Results<R>;
}

const isPipelined = (db: Tx): boolean =>
  (db._.session as unknown as { client?: Partial<Pick<pg.Client, 'pipeline'>> }).client?.pipeline === true;
