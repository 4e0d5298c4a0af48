import { sql } from 'drizzle-orm';
import { connect } from '../connect.ts';
import { findInstallation } from '../research/research.ts';
import { readerRole, roleStatements } from './role.ts';

/**
 * Statements with which an administrator of the server creates or corrects the reader role of a migrated database. They
 * contain no password.
 */
export async function administratorStatements(url: string): Promise<string[]> {
  const { db, close } = connect(url, { max: 1, onError: () => undefined });
  try {
    const role = readerRole(await findInstallation(db));
    const found = await db.execute(sql`select 1 from pg_roles where rolname = ${role.name}`);
    return roleStatements(role, { exists: found.rows.length > 0, superuser: false });
  } finally {
    await close();
  }
}
