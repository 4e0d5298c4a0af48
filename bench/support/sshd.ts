import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rmSync, statSync, writeFileSync } from 'node:fs';
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
// A script, which is not compiled: found from the build and from the sources alike.
const script = (await import(pathToFileURL(join(packageRoot(), 'scripts/test-tools/sshd.mjs')).href)) as {
  findSshd: () => Found;
  getSshd: () => Found;
};
let found = script.findSshd();

/** Why there is no sshd for tests and benches; undefined where there is one. */
export const noSshd = found.reason;

const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const { shell } = userInfo();
/** Why a profile is not read; undefined where it is. */
export const noProfile =
  shell !== null && basename(shell) === 'bash' ? undefined : `the login shell here is ${shell}, not bash`;

/** Why a test host has no user but us; undefined where it can have others. */
export const noUsers = userInfo().uid === 0 ? undefined : 'an ordinary user can log in only as themselves';

/** What a test host is like. */
export interface SshdOptions {
  /** An ordinary user of that name logs in, and owns its home; by default whoever we are, as where {@link noUsers}. */
  as?: string;
  /** Text of its ~/.bashrc, which only bash reads: see {@link noProfile}. */
  profile?: string;
  /** A folder that comes first in the PATH of its sessions; from the home, where it is relative. */
  path?: string;
  /** More lines of sshd_config. */
  config?: string[];
  /** Another network, where it listens at that address; `enter` is what a program is started with to be there. */
  network?: { address: string; enter: string[] };
}

/** One real sshd on a port of its own, whose sessions have a home of their own. */
export interface Sshd {
  address: string;
  port: number;
  user: string;
  folder: string;
  /** HOME of what runs in its sessions. */
  home: string;
  /** A client's private key that it takes. */
  key: string;
  /** A known_hosts file that vouches for it. */
  knownHosts: string;
  fingerprint: string;
  /** The processes of its connections. */
  sessions(): number[];
  /** Kills the processes of its connections, as a cut does; nothing that runs under them. */
  cut(): void;
  /** Ends it with its connections; the port is closed then. */
  stop(): Promise<void>;
  /** Starts it again on the same port, with another host key if asked. */
  start(options?: { newKey?: boolean }): Promise<void>;
  /** Ends it and removes its folder. */
  destroy(): Promise<void>;
}

/** Somebody else took its port first. */
class PortTaken extends Error {}

/** Starts an sshd, as root or as an ordinary user. */
export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  // Tests skip where there is none; a bench gets it.
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
      // A run that has just ended cleans its host beside us.
      rmSync(folder, { recursive: true, force: true, maxRetries: 60, retryDelay: 100 });
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
  // Newer ones are several programs.
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
    // It went with another one.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Writes a new private key and returns the public one. */
export function makeKey(file: string, passphrase = '', type: 'ed25519' | 'ecdsa' | 'rsa' = 'ed25519'): string {
  rmSync(file, { force: true });
  execFileSync('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-C', 'test', '-f', file]);
  return readFileSync(`${file}.pub`, 'utf8').trim();
}

// As root, sshd insists on a user and an empty folder; its package makes the same.
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
  const said = (): string => (existsSync(log) ? readFileSync(log).subarray(before).toString() : '');
  const [program = 'sshd', ...words] = [...enter, found.path ?? 'sshd', '-D', '-f', config, '-E', log];
  const child = spawn(program, words, { env, stdio: 'ignore' });
  for (;;) {
    // Another one may answer there.
    if (said().includes('Server listening on') && (await answers(address, port))) return child;
    if (said().includes('Address already in use')) throw new PortTaken(said());
    const code = child.exitCode ?? child.signalCode;
    if (code !== null) throw new Error(`sshd ended with ${code}: ${said()}`);
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

/** What sshd started for its connections, children of children too, without what these started for their users. */
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
