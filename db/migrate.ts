import { fileURLToPath } from 'node:url';
import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as runMigrations } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';
import { prepareReader } from './reader/prepare-reader.ts';
import { requireUsableDatabase } from './session/require-usable-database.ts';
import { applySettings, connectionOptions } from './session/settings.ts';

const folder = fileURLToPath(new URL('migrations', import.meta.url));
/** Key of the advisory lock (any number): one process at a time migrates a database. */
const LOCK = 7_305_118;

/** The database was migrated by a newer Perpetua than this one. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

const known = (): number[] =>
  (JSON.parse(readFileSync(`${folder}/meta/_journal.json`, 'utf8')) as { entries: { when: number }[] }).entries.map(
    (entry) => entry.when,
  );

/**
 * Migrates the database to this version's schema, and creates its installation id and the role that reads pages. Safe
 * to call from several processes. Throws RefusedDatabaseError, and writes nothing, if the database cannot be used.
 */
export async function migrate(url: string): Promise<void> {
  const client = new pg.Client(connectionOptions(url));
  await client.connect();
  try {
    await requireUsableDatabase(client, url);
    await applySettings(client);
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    const db = drizzle(client);
    await refuseNewer(client);
    await runMigrations(db, { migrationsFolder: folder });
    await takeOverEvents(client);
    await takeOverChanges(client);
    await db.execute(
      sql`insert into installations (id) select gen_random_uuid() where not exists (select 1 from installations)`,
    );
    await prepareReader(client);
  } finally {
    await client.end();
  }
}

/**
 * Moves events of a database that was restored to another server before all new ones. That server counts its
 * transactions from the start, and events are ordered by transaction id.
 */
const takeOverEvents = async (client: pg.Client): Promise<void> =>
  void (await client.query(`update events set xid = '1' where xid >= pg_snapshot_xmax(pg_current_snapshot())`));

/** Does the same for the rows that readers find by their last change. A trigger sets the present transaction. */
async function takeOverChanges(client: pg.Client): Promise<void> {
  for (const table of ['trials', 'calls'])
    await client.query(
      `update ${table} set changed_xid = '1' where changed_xid >= pg_snapshot_xmax(pg_current_snapshot())`,
    );
}

async function refuseNewer(client: pg.Client): Promise<void> {
  const exists = await client.query<{ there: boolean }>(
    `select to_regclass('drizzle.__drizzle_migrations') is not null as there`,
  );
  if (!exists.rows[0]?.there) return;
  const last = await client.query<{ at: string | null }>(
    'select max(created_at) as at from drizzle.__drizzle_migrations',
  );
  const newest = Math.max(...known());
  const found = Number(last.rows[0]?.at ?? 0);
  if (found > newest)
    throw new NewerSchemaError(
      `Expected a database schema of ${new Date(newest).toISOString()} or older, ` +
        `found ${new Date(found).toISOString()}: this database was used by a newer Perpetua. ` +
        'Update Perpetua, or point DATABASE_URL (or PERPETUA_HOME) elsewhere.',
    );
}
