import type pg from 'pg';
import { withClient } from './settings.ts';

/** Time between two checks. A start usually needs less than one, and then opens no connection for it. */
const CHECK_EVERY_MS = 2000;

interface Holder {
  /** 0: a prepared transaction. */
  pid: number;
  application: string | null;
  user: string | null;
  address: string | null;
  since: string | null;
  state: string | null;
}

/** Sessions that hold a lock for which a session with this session's name waits. */
const HOLDERS = `
  select distinct blocking.pid, holder.application_name as application, holder.usename as user,
    host(holder.client_addr) as address, holder.state,
    to_char(coalesce(holder.xact_start, holder.backend_start), 'YYYY-MM-DD HH24:MI:SS') as since
  from pg_stat_activity waiting, unnest(pg_blocking_pids(waiting.pid)) blocking (pid)
  left join pg_stat_activity holder on holder.pid = blocking.pid
  where waiting.datname = current_database() and waiting.wait_event_type = 'Lock'
    and waiting.application_name = current_setting('application_name')`;

/**
 * Runs `work`, and reports locks of other sessions that this process waits for meanwhile: each holder once, within some
 * seconds. The work goes on waiting.
 */
export async function reportLockWaits<R>(
  url: string,
  onWait: (line: string) => void,
  work: () => Promise<R>,
): Promise<R> {
  const reported = new Set<number>();
  const check = async (client: pg.Client): Promise<void> => {
    const { rows } = await client.query<Holder>(HOLDERS);
    for (const holder of rows.filter(({ pid }) => !reported.has(pid))) {
      reported.add(holder.pid);
      onWait(describeHolder(holder));
    }
  };
  let checking = Promise.resolve();
  const timer = setInterval(() => {
    // The next check repeats one that fails, for example because all connections of the server are in use.
    checking = checking.then(() => withClient(url, check)).catch(() => undefined);
  }, CHECK_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await checking;
  }
}

/** Postgres shows these facts of other users' sessions only to members of `pg_read_all_stats`. */
function describeClient({ address, since, state }: Pick<Holder, 'address' | 'since' | 'state'>): string[] {
  if (since === null) return ['its address and time are hidden from this user'];
  const from = address === null ? 'on a local socket' : `from ${address}`;
  return [from, `since ${since} UTC`, ...(state === null ? [] : [state])];
}

function describeHolder({ pid, application, user, address, since, state }: Holder): string {
  if (pid === 0)
    return (
      'the start waits for a lock in the database that a prepared transaction holds: ' +
      '`select gid, prepared, owner from pg_prepared_xacts` lists them, and `rollback prepared` ends one'
    );
  const facts = [
    `application ${application === null || application === '' ? 'unknown' : JSON.stringify(application)}`,
    `user ${user ?? 'unknown'}`,
    ...describeClient({ address, since, state }),
  ];
  return (
    `the start waits for a lock in the database that process ${pid} of Postgres holds (${facts.join(', ')}). ` +
    `The start continues when that process releases the lock. To end the process: select pg_terminate_backend(${pid})`
  );
}
