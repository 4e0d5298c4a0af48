import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { open, stat } from 'node:fs/promises';
import { dashboardPageIn, homePaths, packageRoot } from '../../config/paths.ts';
import { enterUrl, ensureSecret } from '../../config/dashboard/secret.ts';
import { createDashboard } from '../../dashboard/server/serve.ts';
import { connect, type Db } from '../../db/connect.ts';
import { migrate } from '../../db/migrate.ts';
import { readerAddress } from '../../db/reader/reader-address.ts';
import { startPostgres } from '../../infra/postgres/embedded.ts';
import { removeTree } from '../../infra/remove-tree.ts';
import { throwawayHome } from '../support/servers.ts';

/** A real dashboard on a real Postgres that logs the duration of each statement. */
export interface BenchDashboard {
  db: Db;
  /** Origin as `http://host:port`, and the URL that logs a browser in. */
  origin: string;
  loginUrl: string;
  /** Requests a resource below `api/v1/`. */
  fetchResource: (resource: string) => Promise<Answer>;
  /** Reads the longest statement since the last call, and the time of all of them. */
  statements: () => Promise<{ longest: Statement; totalMs: number }>;
  /** Calls `use` while Postgres logs no statements, which takes CPU. */
  withoutLog: <T>(use: () => Promise<T>) => Promise<T>;
  /** URL of the database for the role that reads. */
  readUrl: string;
  stop: () => Promise<void>;
}

export interface Answer {
  status: number;
  /** Bytes on the wire (`sent`), and decompressed (`bytes`). */
  sent: number;
  bytes: number;
  ms: number;
}

export interface Statement {
  ms: number;
  text: string;
}

export async function serveDashboard(): Promise<BenchDashboard> {
  const home = await throwawayHome();
  const { postgres: dir, logs } = homePaths(home);
  const logFile = `${logs}/postgres.log`;
  const postgres = await startPostgres({ dir, logFile, port: null, durable: false });
  await migrate(postgres.url);
  const { db, close } = connect(postgres.url, { max: 2, onError: () => undefined });
  const secret = ensureSecret(home);
  const { url: readUrl } = await readerAddress(postgres.url);
  const settings = { host: '127.0.0.1', port: 0, allowHosts: [], readUrl, steer: false, temporal: null };
  const dashboard = await createDashboard({
    home,
    secret,
    settings: () => settings,
    page: dashboardPageIn(packageRoot()),
    onError: (message) => void process.stderr.write(`${message}\n`),
  });
  const origin = `http://${dashboard.host}:${dashboard.port}`;
  const enter = enterUrl(origin, secret);
  const cookie = await enterWith(enter);
  return {
    db,
    origin,
    loginUrl: enter,
    fetchResource: (resource) => askFor(`${origin}/${secret.path}/api/v1/${resource}`, cookie),
    statements: await statementsIn(logFile, db),
    readUrl,
    withoutLog: async (use) => {
      await logStatements(db, -1);
      try {
        return await use();
      } finally {
        await logStatements(db, 0);
      }
    },
    stop: async () => {
      await dashboard.close();
      await close();
      await postgres.stop();
      await removeTree(home);
    },
  };
}

const enterWith = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    get(url, (response) => {
      response.resume();
      const [cookie] = response.headers['set-cookie'] ?? [];
      if (cookie === undefined) reject(new Error(`Expected a cookie of the dashboard, got ${response.statusCode}`));
      else resolve(cookie.split(';')[0] ?? '');
    }).on('error', reject);
  });

function askFor(url: string, cookie: string): Promise<Answer> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { headers: { cookie, 'accept-encoding': 'gzip' } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const ms = performance.now() - begun;
        const sent = Buffer.concat(chunks);
        const read = response.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
        resolve({ status: response.statusCode ?? 0, sent: sent.length, bytes: read.length, ms });
      });
    }).on('error', reject);
  });
}

/** Logs statements of at least so many milliseconds; −1: none. */
async function logStatements(db: Db, ms: number): Promise<void> {
  await db.execute(`alter system set log_min_duration_statement = ${ms}`);
  await db.execute('select pg_reload_conf()');
}

/** Logs all statements from now on. Returns a function that reads the log from the end of its last call. */
async function statementsIn(logFile: string, db: Db): Promise<BenchDashboard['statements']> {
  await db.execute(`alter system set log_parameter_max_length = 0`);
  await logStatements(db, 0);
  let from = (await stat(logFile)).size;
  return async () => {
    const file = await open(logFile);
    const { size } = await file.stat();
    const { buffer } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    await file.close();
    from = size;
    const found = [
      ...buffer
        .toString('utf8')
        .matchAll(/duration: ([\d.]+) ms +(?:execute|statement)[^:]*: ([^\n]*(?:\n\t[^\n]*)*)/g),
    ];
    const all = found.map(([, ms, text = '']) => ({ ms: Number(ms), text: text.replace(/\s+/g, ' ').trim() }));
    const longest = all.reduce((one, other) => (other.ms > one.ms ? other : one), { ms: 0, text: '' });
    return { longest, totalMs: all.reduce((sum, { ms }) => sum + ms, 0) };
  };
}
