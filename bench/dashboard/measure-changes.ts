import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { startDashboard } from '../../cli/dashboard/process.ts';
import { readListening, originOf } from '../../config/dashboard/listening.ts';
import { ensureSecret } from '../../config/dashboard/secret.ts';
import { writeSettings } from '../../config/dashboard/settings.ts';
import { loadConfig } from '../../config/load.ts';
import { homePaths } from '../../config/paths.ts';
import type { Db } from '../../db/connect.ts';
import { insertEvents } from '../../db/event/insert-events.ts';
import { stopProcess } from '../../infra/process/stop.ts';
import { removeTree } from '../../infra/remove-tree.ts';
import { cpuMs } from '../support/cpu-ms.ts';
import { throwawayHome } from '../support/servers.ts';

/** Changes that each page follows. */
const CHANGES = 24;
/** Changes before them, after which the server's code is compiled. */
const WARM = 8;
const IDLE_MS = 60_000;
/** Rows of the list of trials that a screen shows. */
const ROWS = 40;
const DOTS = 12_000;

/** CPU milliseconds of a change: of the page's connections to Postgres, and of the page's server. */
export interface ChangeCost {
  page: string;
  postgresMs: number;
  serverMs: number;
}

/** Costs of each page per change, and shares of one core that the server and its connections use without a tab. */
export interface WatchingCosts {
  changes: ChangeCost[];
  idle: { postgres: number; server: number };
}

interface Input {
  db: Db;
  /** URL of the database for the role that reads. */
  readUrl: string;
  id: string;
  trials: number;
  idleMs?: number;
}

/** Measures what an open page costs: a dashboard in a process of its own, and one tab on each page in turn. */
export async function measureWatching({ db, readUrl, id, trials, idleMs = IDLE_MS }: Input): Promise<WatchingCosts> {
  const home = await throwawayHome();
  const config = loadConfig({ PATH: process.env.PATH, PERPETUA_HOME: home });
  writeSettings(home, { host: '127.0.0.1', port: 0, allowHosts: [], readUrl, steer: false, temporal: null });
  // Another dashboard may read the same database.
  const others = await readersCpuMs(db, new Map());
  const { signal } = new AbortController();
  const started = await startDashboard(config, { logFile: `${homePaths(home).logs}/dashboard.log`, signal });
  try {
    const listening = readListening(home);
    if (!listening) throw new Error('Expected a dashboard that listens');
    const secret = ensureSecret(home);
    const client = { base: `${originOf(listening)}/${secret.path}/api/v1/`, cookie: `perpetua=${secret.token}` };
    const cost = async (): Promise<Cost> => ({ server: cpuMs(started.pid), postgres: await readersCpuMs(db, others) });
    const from = await cost();
    await sleep(idleMs);
    const idle = difference(from, await cost());
    const stream = await followChanges(client, id);
    const changes: ChangeCost[] = [];
    let round = 0;
    const follow = async (resources: readonly string[], times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        const told = stream.next();
        await changeTrials(db, { id, round: (round += 1) });
        await told;
        await Promise.all(resources.map((resource) => fetchWhole(client, resource)));
      }
    };
    for (const [page, resources] of Object.entries(pagesOf(id, trials))) {
      await follow(resources, WARM);
      const before = await cost();
      await follow(resources, CHANGES);
      const { server, postgres } = difference(before, await cost());
      changes.push({ page, postgresMs: postgres / CHANGES, serverMs: server / CHANGES });
    }
    stream.close();
    return { changes, idle: { postgres: idle.postgres / idleMs, server: idle.server / idleMs } };
  } finally {
    await stopProcess(started, { graceMs: 5000 });
    await removeTree(home);
  }
}

/** Resources that a tab reads again at a change, by page. */
const pagesOf = (id: string, trials: number): Record<string, string[]> => ({
  researches: ['researches', 'setup'],
  research: [`research/${id}`, `research/${id}/series?x=trial&buckets=${DOTS}`],
  candidates: [`research/${id}`, `research/${id}/candidates?order=asc`],
  trials: [
    `research/${id}`,
    `research/${id}/order`,
    `research/${id}/trials?n=${Array.from({ length: ROWS }, (_, index) => trials - index).join(',')}`,
  ],
  fleet: ['fleet', `gantt?from=${new Date(Date.now() - 6 * 3_600_000).toISOString()}`],
  spend: ['spend?by=hour'],
  tree: [`research/${id}`, `research/${id}/tree`],
});

interface Cost {
  server: number;
  /** By the process of each connection. */
  postgres: ReadonlyMap<number, number>;
}

function difference(before: Cost, after: Cost): { server: number; postgres: number } {
  let postgres = 0;
  // A connection that was closed meanwhile is left out.
  for (const [pid, ms] of after.postgres) postgres += ms - (before.postgres.get(pid) ?? 0);
  return { server: after.server - before.server, postgres };
}

/** CPU milliseconds of the connections of dashboards, without those of others. */
async function readersCpuMs(db: Db, others: ReadonlyMap<number, number>): Promise<Map<number, number>> {
  const { rows } = await db.execute<{ pid: number }>(
    sql`select pid from pg_stat_activity where usename like 'perpetua\\_reader\\_%'`,
  );
  return new Map(rows.filter(({ pid }) => !others.has(pid)).map(({ pid }) => [pid, cpuMs(pid)]));
}

/** Ends the oldest open trial and begins another one. Every fourth time, an old trial also gets another verdict. */
async function changeTrials(db: Db, { id, round }: { id: string; round: number }): Promise<void> {
  await db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ n: number; next: number }>(sql`
      with ended as (
        update trials set status = 'completed', value = 2.95, verdict = 'discard', seconds = 90,
          ended_at = clock_timestamp(), ruled_at = clock_timestamp()
        where id = (select id from trials where research_id = ${id} and status is null order by n limit 1)
        returning n)
      update researches set last_n = last_n + 1 from ended where id = ${id} returning ended.n, last_n as next`);
    const [found] = rows;
    if (!found) throw new Error(`expected a trial of ${id} under way`);
    const { n, next } = found;
    await tx.execute(sql`
      insert into trials (id, research_id, n, kind, seed, task_hash, pool, admission, parent_id, proposer)
      select ${`${id}/${next}`}, research_id, ${next}, 'search', ${next}, task_hash, pool, admission, parent_id,
        proposer
      from trials where research_id = ${id} and n = ${n}`);
    if (round % 4 === 0)
      await tx.execute(sql`
        update trials set verdict = case when verdict = 'discard' then 'none' else 'discard' end
        where research_id = ${id} and n = ${(round * 7919) % n} and verdict in ('discard', 'none')`);
    const data = { kind: 'search', status: 'completed', failure: null, value: 2.95, seconds: 90 };
    await insertEvents(tx, [{ researchId: id, kind: 'trial-ended', n, data }]);
  });
}

interface Client {
  base: string;
  cookie: string;
}

const fetchWhole = ({ base, cookie }: Client, resource: string): Promise<void> =>
  new Promise((resolve, reject) => {
    get(base + resource, { headers: { cookie, 'accept-encoding': 'gzip' } }, (response) => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${resource} answered ${response.statusCode}`));
      });
    }).on('error', reject);
  });

/** Follows the stream of changes. `next`: resolves at the next change of the research. */
async function followChanges({ base, cookie }: Client, id: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${base}stream`, { headers: { cookie } }, resolve).on('error', reject);
  });
  let wake: () => void = () => undefined;
  response.on('error', () => undefined);
  response.on('data', (chunk: Buffer) => {
    if (chunk.toString().includes(`"research":${JSON.stringify(id)}`)) wake();
  });
  return {
    next: () => new Promise<void>((resolve) => (wake = resolve)),
    close: () => void response.destroy(),
  };
}
