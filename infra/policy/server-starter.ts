import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PolicyError } from '../policy.ts';
import { commandLine, identify, isAlive, type ProcessIdentity } from '../process/identity.ts';
import { logTail } from '../process/log-file.ts';
import { startDetached } from '../process/start.ts';
import { toolEnvironment } from '../trainer/tool-environment.ts';
import { findInstalledTrainer, notInstalledMessage, trainerEnvironment } from '../trainer/trainer-paths.ts';
import type { StartServer } from './call-server.ts';
import { findBase } from './base.ts';
import type { PolicyOptions } from './options.ts';
import { makeServerFolder, type ServerPaths } from './server-paths.ts';

const POLL_MS = 100;
/** A first start reads some gigabytes of libraries. */
const START_SECONDS = 900;
/** Seconds without a request after which a server ends by itself. */
const IDLE_SECONDS = 900;
/** Others may start and end meanwhile; more in a row end for another reason. */
const MOST_TRIES = 3;

/** Waits until a server answers, and starts it where none does: once for all who wait in this process. */
export function createServerStarter(options: PolicyOptions): StartServer {
  const starting = new Map<string, Promise<void>>();
  return async (place, signal) => {
    signal.throwIfAborted();
    if (await answers(place.socket)) return;
    const known = starting.get(place.folder);
    const start = known ?? bringUp(place, options).finally(() => starting.delete(place.folder));
    starting.set(place.folder, start);
    await untilAborted(start, signal);
  };
}

async function bringUp(place: ServerPaths, options: PolicyOptions): Promise<void> {
  await makeServerFolder(place);
  const command = await commandFor(place, options);
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const other = await holderOf(place);
    if (other !== null) {
      if (await comesUp(place, other)) return;
      continue; // it ended: its folder is free
    }
    const server = await startDetached({ ...command, cwd: place.folder, logFile: place.log }).catch(
      cannotStart(command),
    );
    if (await comesUp(place, server)) return;
    // One that was started meanwhile by another process refuses its folder to ours.
    const winner = await holderOf(place);
    if (winner === null) throw down(place, 'it ended before it answered');
    if (await comesUp(place, winner)) return;
  }
  throw down(place, 'it ended each time before it answered');
}

/** Waits until a process answers on the socket; false where it ended first. */
async function comesUp(place: ServerPaths, server: ProcessIdentity): Promise<boolean> {
  const until = performance.now() + START_SECONDS * 1000;
  while (!(await answers(place.socket))) {
    if (!isAlive(server)) return answers(place.socket);
    if (performance.now() > until) throw down(place, `process ${server.pid} did not answer within ${START_SECONDS} s`);
    await sleep(POLL_MS);
  }
  return true;
}

/** The living server that holds the folder; null where there is none. */
async function holderOf({ lock, folder }: ServerPaths): Promise<ProcessIdentity | null> {
  const pid = Number((await readFile(lock, 'utf8').catch(() => '')).trim());
  // A dead server's id may be another process's by now.
  const isServer = Number.isSafeInteger(pid) && pid > 1 && commandLine(pid).includes(folder);
  return isServer ? (identify(pid) ?? null) : null;
}

interface Command {
  command: string;
  args: string[];
  env: Record<string, string>;
}

async function commandFor(place: ServerPaths, options: PolicyOptions): Promise<Command> {
  const { program, device, dtype, threads } = options.trainer;
  const settings = ['--device', device, '--dtype', dtype, '--threads', String(threads), '--idle', String(IDLE_SECONDS)];
  const words = (base: string) => [
    ...['serve', '--folder', place.folder, '--base', base, '--out', place.checkpoints],
    ...settings,
  ];
  if (program !== null) {
    const [command = '', ...first] = program;
    // It knows its models by their names.
    return { command, args: [...first, ...words(place.base)], env: toolEnvironment(options.env) };
  }
  const python = installedPython(options);
  const base = await findBase(place, { ...options, python });
  const env = trainerEnvironment(options.packageRoot, options.env);
  return { command: python, args: ['-m', 'perpetua_trainer', ...words(base)], env };
}

/** The interpreter of the trainer's environment. Throws {@link PolicyError} (down) where it is not installed. */
function installedPython({ packageRoot, trainer }: Pick<PolicyOptions, 'packageRoot' | 'trainer'>): string {
  const where = { packageRoot, cache: trainer.cache };
  const found = findInstalledTrainer(where);
  if (found === null) throw new PolicyError(notInstalledMessage(where), { kind: 'down' });
  return found.python;
}

const cannotStart =
  ({ command }: Command) =>
  (error: unknown): never => {
    const why = error instanceof Error ? error.message : String(error);
    throw new PolicyError(`cannot start the policy server ${command}: ${why}`, { kind: 'down' });
  };

const down = (place: ServerPaths, why: string): PolicyError =>
  new PolicyError(
    `expected the policy server of ${place.base} to answer on ${place.socket}: ${why}; ${place.log} ends with:\n${logTail(place.log)}`,
    { kind: 'down' },
  );

/** Whether something takes connections on the socket. */
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

/** The start goes on for others where one waits no longer. */
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
