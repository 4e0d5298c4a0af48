import pg from 'pg';
import { columnNames, READER_RIGHTS } from './reader-rights.ts';

const SELECT = 'SELECT';

/** Grants a role the columns of `READER_RIGHTS` to read, and revokes its other rights in the database's schema. */
export async function grantRights(client: pg.Client, role: string): Promise<void> {
  const name = pg.escapeIdentifier(role);
  const found = await readRights(client, role);
  for (const table of new Set([...Object.keys(READER_RIGHTS), ...found.keys()])) {
    const columns = columnNames(READER_RIGHTS[table]?.granted);
    const wanted = columns.map((column) => rightOf(column, SELECT));
    if (isSame(wanted, found.get(table) ?? [])) continue;
    const quoted = pg.escapeIdentifier(table);
    await client.query(`revoke all on ${quoted} from ${name}`);
    const list = columns.map(pg.escapeIdentifier).join(', ');
    if (list !== '') await client.query(`grant select (${list}) on ${quoted} to ${name}`);
  }
  await grantWayIn(client, role);
}

const rightOf = (column: string, right: string): string => `${column} ${right}`;
const isSame = (wanted: string[], found: string[]): boolean =>
  wanted.length === found.length && wanted.every((right) => found.includes(right));

/** Rights of a role by table; a right on a whole table has an empty column name. */
async function readRights(client: pg.Client, role: string): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ table: string; column: string; right: string }>(
    `with ours as (select oid, relname, relacl from pg_class where relnamespace = 'public'::regnamespace),
       given as (
         select relname, attname::text as column, (aclexplode(attacl)).*
         from ours join pg_attribute on attrelid = ours.oid where attacl is not null
         union all select relname, '', (aclexplode(relacl)).* from ours where relacl is not null)
     select relname as table, "column", privilege_type as right
     from given join pg_roles on pg_roles.oid = grantee where rolname = $1`,
    [role],
  );
  const found = new Map<string, string[]>();
  for (const { table, column, right } of rows) found.set(table, [...(found.get(table) ?? []), rightOf(column, right)]);
  return found;
}

/** Grants access to database and schema, which every role has unless an administrator revoked it. */
async function grantWayIn(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ name: string; connects: boolean; uses: boolean }>(
    `select current_database() as name, has_database_privilege($1, current_database(), 'connect') as connects,
       has_schema_privilege($1, 'public', 'usage') as uses`,
    [role],
  );
  for (const { name, connects, uses } of rows) {
    const grantee = `to ${pg.escapeIdentifier(role)}`;
    if (!connects) await client.query(`grant connect on database ${pg.escapeIdentifier(name)} ${grantee}`);
    if (!uses) await client.query(`grant usage on schema public ${grantee}`);
  }
}
