import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../config/paths.ts';
import { fingerprint } from '../../infra/compute/ssh/connection/known-hosts.ts';
import { freePort } from '../../infra/process/free-port.ts';
import { ensureUser } from './system-user.ts';

interface Found {
  path?: string;
  folder?: string;
  libraryPath?: string;
  reason?: string;
}
// The script is not compiled, so the build and the sources both import it from the package root.
const script = (await import(pathToFileURL(join(packageRoot(), 'scripts/test-tools/sshd.mjs')).href)) as {
  findSshd: () => Found;
  getSshd: () => Found;
};
let found = script.findSshd();

/** Reason why there is no sshd for tests and benches; undefined if there is one. */
export const noSshd = found.reason;

const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const { shell } = userInfo();
/** Reason why a profile is not read; undefined if it is. */
export const noProfile =
  shell !== null && basename(shell) === 'bash' ? undefined : `the login shell here is ${shell}, not bash`;

/** Reason why a test host has only the present user; undefined if it can have others. */
export const noUsers = userInfo().uid === 0 ? undefined : 'an ordinary user can log in only as themselves';

/** Options of a test host. */
export interface SshdOptions {
  /** Name of an ordinary user who logs in and owns the home; by default, and if {@link noUsers}, the present user. */
  as?: string;
  /** Text of ~/.bashrc, which only bash reads: see {@link noProfile}. */
  profile?: string;
  /** First folder in the PATH of the sessions; relative to the home. */
  path?: string;
  /** Additional lines of sshd_config. */
  config?: string[];
  /** Another network, and the address to listen at; `enter` is the command prefix that starts a program there. */
  network?: { address: string; enter: string[] };
}

/** A real sshd on its own port, whose sessions have their own home. */
export interface Sshd {
  address: string;
  port: number;
  user: string;
  folder: string;
  /** HOME of the sessions. */
  home: string;
  /** File of a client's private key that the sshd accepts. */
  key: string;
  /** A known_hosts file with its host key. */
  knownHosts: string;
  fingerprint: string;
  /** Ids of the processes of its connections. */
  sessions(): number[];
  /** Kills the processes of its connections, like a network cut, but not the programs that run under them. */
  cut(): void;
  /** Ends the sshd with its connections, and so closes the port. */
  stop(): Promise<void>;
  /** Starts the sshd again on the same port, with a new host key if `newKey`. */
  start(options?: { newKey?: boolean }): Promise<void>;
  /** Ends the sshd and removes its folder. */
  destroy(): Promise<void>;
}

/** Another process took the port first. */
class PortTaken extends Error {}

/** Starts an sshd, as root or as an ordinary user. */
export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  // Tests are skipped without an sshd; a bench obtains one.
  if (!found.path) found = script.getSshd();
  if (!found.path) throw new Error(found.reason);
  for (;;)
    try {
      return await startOn(await freePort(null), options);
    } catch (error) {
      if (!(error instanceof PortTaken)) throw error;
    }
}

async function startOn(port: number, options: SshdOptions): Promise<Sshd> {
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-sshd-'));
  const home = join(folder, "home's of runs");
  const user = (noUsers === undefined && options.as) || userInfo().username;
  if (noUsers === undefined) await separatePrivileges();
  mkdirSync(home);
  if (user === options.as) await hand(user, { home, folder });
  if (options.profile !== undefined) writeFileSync(join(home, '.bashrc'), options.profile);
  const { address = '127.0.0.1', enter = [] } = options.network ?? {};
  const at = (name: string): string => join(folder, name);
  const client = makeKey(at('client'));
  writeFileSync(at('authorized'), `${client}\n`);
  writeFileSync(at('config'), configOf({ folder, home, address, port, options }));
  let child: ChildProcess | undefined;
  const sshd: Sshd = {
    address,
    port,
    user,
    folder,
    home,
    key: at('client'),
    knownHosts: at('known_hosts'),
    fingerprint: '',
    sessions: () => (child?.pid === undefined ? [] : sessionsOf(child.pid)),
    cut: () => sshd.sessions().forEach(killHard),
    stop: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      const sessions = sshd.sessions();
      child.kill('SIGKILL');
      await exited;
      sessions.forEach(killHard);
    },
    start: async ({ newKey = false } = {}) => {
      if (newKey || !existsSync(at('host'))) {
        const key = makeKey(at('host'));
        if (!newKey) writeFileSync(sshd.knownHosts, `[${address}]:${port} ${key}\n`);
        sshd.fingerprint = fingerprint(Buffer.from(key.split(' ')[1] ?? '', 'base64'));
      }
      child = await run({ enter, config: at('config'), folder, address, port });
    },
    destroy: async () => {
      await sshd.stop();
      // A run that has just ended may still write files. `rm` lists the folder anew at each attempt; `rmSync` does not.
      await rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
    },
  };
  await sshd.start().catch(async (error: unknown) => {
    await sshd.destroy();
    throw error;
  });
  return sshd;
}

function configOf({
  folder,
  home,
  address,
  port,
  options,
}: {
  folder: string;
  home: string;
  address: string;
  port: number;
  options: SshdOptions;
}) {
  const at = (name: string): string => join(folder, name);
  // Newer versions of sshd consist of several programs.
  const parts = [
    ['SshdSessionPath', 'sshd-session'],
    ['SshdAuthPath', 'sshd-auth'],
  ].flatMap(([key, name]) => {
    const path = join(found.folder ?? '/nowhere', 'usr/lib/openssh', name ?? '');
    return existsSync(path) ? [`${key} ${path}`] : [];
  });
  return [
    `ListenAddress ${address}`,
    `Port ${port}`,
    `HostKey ${at('host')}`,
    `AuthorizedKeysFile ${at('authorized')}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin yes',
    'LogLevel VERBOSE',
    `SetEnv "HOME=${home}"${options.path === undefined ? '' : ` "PATH=${resolve(home, options.path)}:${USUAL_PATH}"`}`,
    ...parts,
    ...(options.config ?? []),
    '',
  ].join('\n');
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // The process ended together with another one.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Writes a new private key and returns the public one. */
export function makeKey(file: string, passphrase = '', type: 'ed25519' | 'ecdsa' | 'rsa' = 'ed25519'): string {
  rmSync(file, { force: true });
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-C', 'test', '-f', file]);
  return readFileSync(`${file}.pub`, 'utf8').trim();
}

// sshd run by root needs a user and an empty folder, as its package makes them.
async function separatePrivileges(): Promise<void> {
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  await ensureUser('sshd', ['--home-dir', '/run/sshd', '--shell', '/usr/sbin/nologin']);
}

async function hand(name: string, { home, folder }: { home: string; folder: string }): Promise<void> {
  // A password of '!' locks an account, also for keys.
  const { uid, gid } = await ensureUser(name, [
    '--home-dir',
    '/nonexistent',
    '--shell',
    '/bin/bash',
    '--password',
    '*',
  ]);
  chownSync(home, uid, gid);
  chmodSync(folder, 0o755);
}

async function run(input: {
  enter: string[];
  config: string;
  folder: string;
  address: string;
  port: number;
}): Promise<ChildProcess> {
  const { enter, config, folder, address, port } = input;
  const env = { ...process.env, ...(found.libraryPath ? { LD_LIBRARY_PATH: found.libraryPath } : {}) };
  const log = join(folder, 'sshd.log');
  const before = existsSync(log) ? statSync(log).size : 0;
  const newLog = (): string => (existsSync(log) ? readFileSync(log).subarray(before).toString() : '');
  const [program = 'sshd', ...args] = [...enter, found.path ?? 'sshd', '-D', '-f', config, '-E', log];
  const child = spawn(program, args, { env, stdio: 'ignore' });
  for (;;) {
    // An answer alone does not suffice, since another server may answer at this port.
    if (newLog().includes('Server listening on') && (await answers(address, port))) return child;
    if (newLog().includes('Address already in use')) throw new PortTaken(newLog());
    const code = child.exitCode ?? child.signalCode;
    if (code !== null) throw new Error(`sshd ended with ${code}: ${newLog()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const answers = (address: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, address);
    const end = (good: boolean) => () => {
      socket.destroy();
      resolve(good);
    };
    socket.once('data', end(true)).once('error', end(false)).once('close', end(false));
  });

/** Ids of the sshd processes below a process, without the programs that they started for their users. */
function sessionsOf(parent: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = statOf(name);
      const [state, ppid] = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
      const isSshd = /\((sshd[^)]*)\)/.test(stat);
      return isSshd && state !== 'Z' && Number(ppid) === parent ? [Number(name)] : [];
    });
  return children.flatMap((pid) => [pid, ...sessionsOf(pid)]);
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return '';
  }
}
