import { sql } from 'drizzle-orm';
import { connect, type Db } from '../../../db/connect.ts';
import { createStore, type Store } from '../../../db/store.ts';

/** A database whose clock stands, and is set by the test. */
export interface SkippedTime {
  db: Db;
  store: Store;
  set: (now: Date) => Promise<void>;
  close: () => Promise<void>;
}

/**
 * Opens a database of a test file on sessions in which `now()` and `clock_timestamp()` return the time that the test
 * sets, and gives the same time to the defaults of all columns.
 */
export async function skipTime(bench: { db: Db; url: string }): Promise<SkippedTime> {
  await bench.db.execute(sql`
    create schema skipped;
    create table skipped.clock (at timestamptz not null);
    insert into skipped.clock values ('epoch');
    create function skipped.now() returns timestamptz stable language sql as 'select at from skipped.clock';
    create function skipped.clock_timestamp() returns timestamptz language sql as 'select at from skipped.clock';
    do $$
    declare found record;
    begin
      for found in
        select adrelid::regclass as name, attname as attribute from pg_attrdef
        join pg_attribute on attrelid = adrelid and attnum = adnum
        where pg_get_expr(adbin, adrelid) in ('now()', 'clock_timestamp()')
      loop
        execute format('alter table %s alter %I set default skipped.now()', found.name, found.attribute);
      end loop;
    end $$`);
  const { db, pool, close } = connect(bench.url, { max: 2, onError: () => undefined });
  // The first statement of each session. Without pg_catalog in the path, its functions would come first.
  pool.on('connect', (client) => void client.query('set search_path = skipped, pg_catalog, public'));
  const set = async (now: Date): Promise<void> => {
    await db.execute(sql`update skipped.clock set at = ${now.toISOString()}`);
  };
  return { db, store: createStore(db), set, close };
}
