import { sql } from 'drizzle-orm';
import { connect } from '../connect.ts';
import { findInstallation } from '../research/research.ts';
import { readerRole, roleStatements } from './role.ts';

/** Statements by which an administrator of the server makes the role of a migrated database, or corrects it; no password is in them. */
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
