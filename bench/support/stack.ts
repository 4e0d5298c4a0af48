import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { packageRoot, workerProgramIn } from '../../config/paths.ts';
import { migrate } from '../../db/migrate.ts';
import { logTail } from '../../infra/process/log-file.ts';
import { type ServerOptions, startTestServers, type TestServers } from './servers.ts';

export interface WorkerOptions {
  slots?: number;
  /** See {@link TestWorker.dieAt}. */
  killAt?: string;
  env?: Record<string, string>;
  queues?: string;
  /** Working directory, whose `tasks/` has the tasks by name; by default the clone. */
  cwd?: string;
  /** The tree whose build the worker runs; by default the clone. */
  root?: string;
  /** Command prefix that starts the worker. */
  commandPrefix?: string[];
}

export interface TestWorker {
  process: ChildProcess;
  /** Resolves when the process is gone. */
  gone: Promise<void>;
  /** Makes the worker die once at a kill point, or stop there (SIGSTOP) if the name ends with `:stop`. */
  dieAt(point: string): void;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** A real Temporal server, a real Postgres, and worker processes from the build. */
export interface TestStack extends TestServers {
  client: Client;
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  startWorker(options?: WorkerOptions): Promise<TestWorker>;
  /** Starts a research as `temporal workflow start` would. */
  startResearch(id: string, input: Record<string, unknown>): Promise<void>;
  /** Waits until the query's first row has `done` true; fails with the last row and the worker's log. */
  until(what: string, text: string, values?: unknown[], seconds?: number): Promise<void>;
  logFile: string;
}

export async function startTestStack(options: ServerOptions = {}): Promise<TestStack> {
  const servers = await startTestServers(options);
  await migrate(servers.databaseUrl);
  const connection = await Connection.connect({ address: servers.temporalAddress });
  const client = new Client({ connection });
  // The pool reconnects by itself after a test restarts Postgres.
  const pool = new pg.Pool({ connectionString: servers.databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  const logFile = join(servers.home, 'worker.log');
  const workers = new Set<TestWorker>();

  const query: TestStack['query'] = async (text, values = []) => (await pool.query(text, values)).rows as never;
  return {
    ...servers,
    client,
    query,
    logFile,
    startWorker: async (options = {}) => {
      const worker = await spawnWorker(servers, options, logFile);
      workers.add(worker);
      return worker;
    },
    startResearch: async (id, input) => {
      await client.workflow.start('research', {
        taskQueue: 'perpetua',
        workflowId: id,
        args: [{ tempo: 0.25, ...input }],
      });
    },
    until: async (what, text, values = [], seconds = 300) => {
      const end = Date.now() + seconds * 1000;
      let last: unknown;
      while (Date.now() < end) {
        const rows = await query(text, values).catch((error: unknown) => [{ done: false, error: String(error) }]);
        last = rows[0];
        if ((last as { done?: boolean } | undefined)?.done === true) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      const details = `last: ${JSON.stringify(last)}; the workers said last:\n${logTail(logFile)}`;
      throw new Error(`Expected ${what} within ${seconds} s; ${details}`);
    },
    stop: async () => {
      await Promise.all([...workers].map((worker) => worker.kill()));
      await pool.end();
      await connection.close();
      await servers.stop();
    },
  };
}

async function spawnWorker(servers: TestServers, options: WorkerOptions, logFile: string): Promise<TestWorker> {
  const { root = packageRoot() } = options;
  const log = createWriteStream(logFile, { flags: 'a' });
  const killFile = join(servers.home, `kill-${randomUUID()}`);
  const dieAt = (point: string): void => writeFileSync(killFile, point);
  if (options.killAt !== undefined) dieAt(options.killAt);
  const [program = process.execPath, ...args] = [
    ...(options.commandPrefix ?? []),
    process.execPath,
    workerProgramIn(root),
    ...(options.queues ? [`--queues=${options.queues}`] : []),
  ];
  const child = spawn(program, args, {
    cwd: options.cwd ?? root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      PERPETUA_HOME: servers.home,
      TEMPORAL_ADDRESS: servers.temporalAddress,
      DATABASE_URL: servers.databaseUrl,
      PERPETUA_SLOTS: String(options.slots ?? 2),
      PERPETUA_LOG_LEVEL: 'warn',
      // A test that needs the GPUs of this machine sets the variable itself.
      PERPETUA_GPUS: 'none',
      PERPETUA_KILL_FILE: killFile,
      ...options.env,
    },
  });
  child.stdout.pipe(log);
  child.stderr.pipe(log);
  const gone = once(child, 'exit').then(() => undefined);
  const ready = new Promise<void>((resolve) =>
    child.stdout.on('data', (chunk: Buffer) => chunk.includes('polls') && resolve()),
  );
  await Promise.race([
    ready,
    gone.then(() => {
      throw new Error(`The worker ended before it was ready. The end of its log:\n${logTail(logFile)}`);
    }),
  ]);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      if (signal === 'SIGKILL') child.kill('SIGCONT');
      await gone;
    }
  };
  return { process: child, gone, dieAt, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}
