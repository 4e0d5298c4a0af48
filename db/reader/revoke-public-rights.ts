import { withClient } from '../session/settings.ts';

/**
 * Revokes what every role of a new database may do beside reading: use temporary tables and large objects, take
 * advisory locks (which would block a migration), and notify listeners. Superusers keep these rights. For a database
 * that only Perpetua uses.
 */
export const revokePublicRights = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    await client.query(CLOSE);
  });

const CLOSE = `do $$
declare open record;
begin
  perform pg_advisory_xact_lock(7305121);
  if (select has_database_privilege('public', current_database(), 'temp')) then
    execute format('revoke temporary on database %I from public', current_database());
  end if;
  for open in
    select oid::regprocedure as name from pg_proc where pronamespace = 'pg_catalog'::regnamespace
      and (proname ~ '^(lo_|pg_advisory|pg_try_advisory)' or proname in ('lowrite', 'loread', 'pg_notify'))
      and has_function_privilege('public', oid, 'execute')
  loop
    execute format('revoke execute on function %s from public', open.name);
  end loop;
end $$`;
