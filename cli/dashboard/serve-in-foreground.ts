import { spawn } from 'node:child_process';
import type { Listening } from '../../config/dashboard/listening.ts';
import { writeSettings } from '../../config/dashboard/settings.ts';
import type { Config } from '../../config/load.ts';
import { resolveDatabase } from '../../config/resolve.ts';
import { restrictHome } from '../../infra/restrict-home.ts';
import { CliError } from '../errors.ts';
import { printNote, type Io } from '../io.ts';
import { syncSettings } from './sync-settings.ts';
import { awaitListening, dashboardCommand } from './process.ts';

const PORT = 4400;

export interface InFront {
  config: Config;
  /** Undefined: the usual port, or another port if that is taken. */
  port: number | undefined;
  host: string;
  allowHosts: string[];
  /** True: the page may send messages to researches. */
  steer: boolean;
  onListening: (listening: Listening) => Promise<void>;
}

/** Runs a dashboard in the foreground until Ctrl-C. Throws CliError if it cannot listen, or ends with an error. */
export async function serveInForeground(
  io: Io,
  { config, port, host, allowHosts, steer, onListening }: InFront,
): Promise<void> {
  await resolveDatabase(config); // throws early, with a clear message, if no address of Postgres is known
  restrictHome(config.home);
  writeSettings(config.home, { host, port: port ?? PORT, allowHosts, readUrl: null, steer, temporal: null });
  const sync = syncSettings(config.home, () => resolveDatabase(config));
  await sync.refresh();
  const { command, args, env } = dashboardCommand(config);
  const child = spawn(command, args, { env, cwd: config.packageRoot, stdio: ['ignore', 'ignore', 'pipe'] });
  let errorTail = '';
  child.stderr.on('data', (text: Buffer) => (errorTail = (errorTail + text.toString()).slice(-2000)));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    // `close`, not `exit`: at the exit, the last lines may still be in the pipe.
    child.once('close', resolve);
  });
  const stop = () => void child.kill('SIGTERM');
  io.signal?.addEventListener('abort', stop, { once: true });
  if (io.signal?.aborted) stop();
  try {
    const lives = () => child.exitCode === null && child.signalCode === null;
    const listening = await awaitListening(config.home, { pid: child.pid ?? -1, lives });
    if (listening) {
      if (port !== undefined && listening.port !== port)
        printNote(io, `! port ${port} is taken by another program: the dashboard is on ${listening.port}`);
      await onListening(listening);
    } else stop();
    const code = await ended;
    if (io.signal?.aborted) return;
    if (code !== 0)
      throw new CliError('failed', `The dashboard ended unexpectedly. Its last output:\n${errorTail.trim()}`);
    printNote(io, 'Another process ended this dashboard. A stack that starts in this home serves its own.');
  } finally {
    io.signal?.removeEventListener('abort', stop);
    sync.stop();
    stop();
  }
}
