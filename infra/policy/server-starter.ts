import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PolicyError } from '../policy.ts';
import { commandLine, identify, isAlive, type ProcessIdentity } from '../process/identity.ts';
import { logTail } from '../process/log-file.ts';
import { startDetached } from '../process/start.ts';
import { toolEnvironment } from '../trainer/tool-environment.ts';
import { findInstalledTrainer, notInstalledMessage, trainerEnvironment } from '../trainer/trainer-paths.ts';
import type { StartServer, Tell } from './call-server.ts';
import { findBase } from './base.ts';
import type { PolicyOptions } from './options.ts';
import { makeServerFolder, type ServerPaths } from './server-paths.ts';

const POLL_MS = 100;
/** A first start reads some gigabytes of libraries. */
const START_SECONDS = 900;
/** Seconds without a request after which a server ends by itself. */
const IDLE_SECONDS = 900;
/** Most starts in a row. Servers of other processes may start and end meanwhile; more failures have another cause. */
const MOST_TRIES = 3;

/** Waits until a server answers; starts one if none does, once for all callers in this process. */
export function createServerStarter(options: PolicyOptions): StartServer {
  const starting = new Map<string, Start>();
  const begin = (paths: ServerPaths): Start => {
    const listeners = new Set<Tell>();
    const tell: Tell = (line) => listeners.forEach((listener) => listener(line));
    const done = bringUp(paths, options, tell).finally(() => starting.delete(paths.folder));
    return { done, listeners };
  };
  return async (paths, signal, tell) => {
    signal.throwIfAborted();
    if (await answers(paths.socket)) return;
    const start = starting.get(paths.folder) ?? begin(paths);
    starting.set(paths.folder, start);
    if (tell) start.listeners.add(tell);
    await untilAborted(start.done, signal).finally(() => tell && start.listeners.delete(tell));
  };
}

/** A start under way, and the callers that receive its progress. */
interface Start {
  done: Promise<void>;
  listeners: Set<Tell>;
}

async function bringUp(paths: ServerPaths, options: PolicyOptions, tell: Tell): Promise<void> {
  await makeServerFolder(paths);
  const command = await commandFor(paths, options, tell);
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const other = await holderOf(paths);
    if (other !== null) {
      if (await comesUp(paths, other)) return;
      continue; // the other server ended, so its folder is free
    }
    const server = await startDetached({ ...command, cwd: paths.folder, logFile: paths.log }).catch(
      cannotStart(command),
    );
    if (await comesUp(paths, server)) return;
    // Another process may have started a server meanwhile, whose lock made ours end.
    const winner = await holderOf(paths);
    if (winner === null) throw down(paths, 'it ended before it answered');
    if (await comesUp(paths, winner)) return;
  }
  throw down(paths, 'it ended each time before it answered');
}

/** Waits until a process answers on the socket; false if the process ended first. */
async function comesUp(paths: ServerPaths, server: ProcessIdentity): Promise<boolean> {
  const until = performance.now() + START_SECONDS * 1000;
  while (!(await answers(paths.socket))) {
    if (!isAlive(server)) return answers(paths.socket);
    if (performance.now() > until) throw down(paths, `process ${server.pid} did not answer within ${START_SECONDS} s`);
    await sleep(POLL_MS);
  }
  return true;
}

/** The living server that holds the folder; null if there is none. */
async function holderOf({ lock, folder }: ServerPaths): Promise<ProcessIdentity | null> {
  const pid = Number((await readFile(lock, 'utf8').catch(() => '')).trim());
  // The system may have given a dead server's id to another process.
  const isServer = Number.isSafeInteger(pid) && pid > 1 && commandLine(pid).includes(folder);
  return isServer ? (identify(pid) ?? null) : null;
}

interface Command {
  command: string;
  args: string[];
  env: Record<string, string>;
}

async function commandFor(paths: ServerPaths, options: PolicyOptions, tell: Tell): Promise<Command> {
  const { program, device, dtype, threads } = options.trainer;
  const settings = ['--device', device, '--dtype', dtype, '--threads', String(threads), '--idle', String(IDLE_SECONDS)];
  const serveArguments = (base: string) => [
    'serve',
    '--folder',
    paths.folder,
    '--base',
    base,
    '--out',
    paths.checkpoints,
    ...settings,
  ];
  if (program !== null) {
    const [command = '', ...first] = program;
    // Another program gets the name of the model, not a folder.
    return { command, args: [...first, ...serveArguments(paths.base)], env: toolEnvironment(options.env) };
  }
  const python = installedPython(options);
  const base = await findBase(paths, { ...options, python, tell });
  const env = trainerEnvironment(options.packageRoot, options.env);
  return { command: python, args: ['-m', 'perpetua_trainer', ...serveArguments(base)], env };
}

/** The interpreter of the trainer's environment. Throws {@link PolicyError} (down) if it is not installed. */
function installedPython({ packageRoot, trainer }: Pick<PolicyOptions, 'packageRoot' | 'trainer'>): string {
  const location = { packageRoot, cache: trainer.cache };
  const found = findInstalledTrainer(location);
  if (found === null) throw new PolicyError(notInstalledMessage(location), { kind: 'down' });
  return found.python;
}

const cannotStart =
  ({ command }: Command) =>
  (error: unknown): never => {
    const why = error instanceof Error ? error.message : String(error);
    throw new PolicyError(`cannot start the policy server ${command}: ${why}`, { kind: 'down' });
  };

const down = (paths: ServerPaths, why: string): PolicyError =>
  new PolicyError(
    `expected the policy server of ${paths.base} to answer on ${paths.socket}: ${why}; ` +
      `${paths.log} ends with:\n${logTail(paths.log)}`,
    { kind: 'down' },
  );

/** True if a process accepts connections on the socket. */
function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(false));
  });
}

/** Waits for a start until the signal aborts; the start continues for other callers. */
async function untilAborted(start: Promise<void>, signal: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
  });
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await Promise.race([start, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
