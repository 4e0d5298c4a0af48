import pg from 'pg';
import { grantRights } from './grant-rights.ts';
import { readerRole, roleStatements, type ReaderRole } from './role.ts';

/**
 * Creates or corrects the role that the dashboard reads with, and grants it `READER_RIGHTS`. If the user of this
 * connection may not do so, nothing changes: `readerAddress` reports the state. Safe to repeat; one call at a time.
 */
export async function prepareReader(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ id: string; secret: string }>('select id, secret from installations');
  if (!rows[0]) return;
  const role = readerRole(rows[0]);
  await ifAllowed(client, () => makeRole(client, role));
  if (await findRole(client, role)) await ifAllowed(client, () => grantRights(client, role.name));
}

interface Found {
  superuser: boolean;
}

const findRole = async (client: pg.Client, { name }: Pick<ReaderRole, 'name'>): Promise<Found | undefined> =>
  (await client.query<Found>('select rolsuper as superuser from pg_roles where rolname = $1', [name])).rows[0];

async function makeRole(client: pg.Client, role: ReaderRole): Promise<void> {
  const { rows } = await client.query<{ name: string }>('select current_user as name');
  const { superuser = false } = (await findRole(client, { name: rows[0]?.name ?? '' })) ?? {};
  const exists = (await findRole(client, role)) !== undefined;
  for (const statement of roleStatements(role, { exists, superuser })) await client.query(statement);
  await leaveGroups(client, role.name);
}

/** Removes a role from all groups, because it has the rights of its groups. */
async function leaveGroups(client: pg.Client, name: string): Promise<void> {
  const groups = await client.query<{ name: string }>(
    `select groups.rolname as name from pg_auth_members join pg_roles groups on groups.oid = roleid
     join pg_roles members on members.oid = member where members.rolname = $1`,
    [name],
  );
  for (const group of groups.rows)
    await client.query(`revoke ${pg.escapeIdentifier(group.name)} from ${pg.escapeIdentifier(name)}`);
}

/** Runs `work` in a transaction, and rolls it back if the server refuses a statement. */
async function ifAllowed(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await work();
    await client.query('commit');
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await client.query('rollback');
  }
}
