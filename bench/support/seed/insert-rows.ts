import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/connect.ts';

type Row = Record<string, unknown>;

/** Rows of one statement. */
const AT_ONCE = 4000;

/**
 * Inserts rows, whose keys are the columns. All rows have the same keys; missing columns have their defaults. An
 * existing row stays as it is.
 */
export async function insertRows(db: Db, table: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = sql.join(
    Object.keys(first).map((key) => sql.identifier(key)),
    sql`, `,
  );
  const name = sql.identifier(table);
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const some = JSON.stringify(rows.slice(from, from + AT_ONCE));
    await db.execute(sql`
      insert into ${name} (${columns}) select ${columns} from jsonb_populate_recordset(null::${name}, ${some}::jsonb)
      on conflict do nothing`);
  }
}

/** Value of a bytea column in JSON. */
export const bytes = (text: string): string => `\\x${Buffer.from(text).toString('hex')}`;
