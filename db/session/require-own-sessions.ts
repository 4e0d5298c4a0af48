import pg from 'pg';
import { RefusedDatabaseError } from './refused-database.ts';
import { connectionOptions } from './settings.ts';

/** Attempts to find that two connections share a session: other clients of a pooler may hide it for a while. */
const ROUNDS = 12;
/** Longest wait for an answer on a second connection. */
const ANSWERS_WITHIN_MS = 10_000;

/**
 * Refuses a pooler whose connections have no session of their own on the server, such as pgbouncer with the pool mode
 * `transaction`: a session lock would stay there after its process has ended. `client` has no settings yet, since they
 * would stay there, too.
 */
export async function requireOwnSessions(client: pg.Client, url: string): Promise<void> {
  const second = new pg.Client({ ...connectionOptions(url), query_timeout: ANSWERS_WITHIN_MS });
  second.on('error', () => undefined);
  try {
    const shared = await shareSessions(client, second).catch((error: unknown) => {
      if (isRefusedByPooler(error)) return true;
      throw error;
    });
    if (shared) throw new RefusedDatabaseError(describePooler(url));
  } finally {
    await second.end().catch(() => undefined);
  }
}

/** True if both connections are seen on one session of the server, or one connection on two sessions. */
async function shareSessions(first: pg.Client, second: pg.Client): Promise<boolean> {
  const own = await sessionOf(first);
  await second.connect();
  const other = await secondSession(first, second);
  for (let round = 0; round < ROUNDS; round += 1) {
    if (own === other) return true;
    // The transaction keeps a session of the pooler busy, so that the other connection has to change its session.
    await second.query('begin');
    const busy = await sessionOf(second);
    if (busy !== other || (await sessionOf(first)) !== own) return true;
    await second.query('rollback');
  }
  return false;
}

/** Waits for a Postgres that stands still, which answers no connection. Only a pooler keeps the second one waiting. */
async function secondSession(first: pg.Client, second: pg.Client): Promise<number | undefined> {
  try {
    return await sessionOf(second);
  } catch (error) {
    if (!(error instanceof Error && error.message === NO_ANSWER)) return refuseSmallPool(error);
    await sessionOf(first);
    return sessionOf(second).catch(refuseSmallPool);
  }
}

async function sessionOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

/** True for pgbouncer's answer to `begin` in the pool mode `statement`. */
const isRefusedByPooler = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '08P01' && error.message.includes('pooling mode');

/** The driver's message after `ANSWERS_WITHIN_MS`. */
const NO_ANSWER = 'Query read timeout';
/** The driver's message, and pgbouncer's after the time that it is set to. */
const WAITED_TOO_LONG = [NO_ANSWER, 'query_wait_timeout'];

function refuseSmallPool(error: unknown): never {
  if (!(error instanceof Error && WAITED_TOO_LONG.includes(error.message))) throw error;
  throw new RefusedDatabaseError(
    'Expected DATABASE_URL to give Perpetua several connections at once; the second one got no answer in time. ' +
      'If it leads to a pooler, set its pool_size to 40 or more.',
  );
}

function describePooler(url: string): string {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  return (
    'Expected each connection of DATABASE_URL to have its own session of Postgres; they share sessions, as with ' +
    'pgbouncer in the pool mode `transaction` or `statement`. Perpetua needs LISTEN and session locks. ' +
    `Set \`pool_mode=session\` for ${name} in the section [databases] of pgbouncer.ini, ` +
    "or set DATABASE_URL to the address of Postgres itself (usually port 5432, not the pooler's 6432)."
  );
}
