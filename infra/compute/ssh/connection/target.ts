import { execFile } from 'node:child_process';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HostConfigError } from '../../../compute.ts';
import { knownName } from './known-hosts.ts';

/** Address of a host, as the user gives it. */
export interface SshAddress {
  /** Alias of ~/.ssh/config, name or address. */
  address: string;
  port?: number;
  user?: string;
  /** A private key; default: the config's, else the usual files. */
  keyFile?: string;
  /** Private key of the host behind this jump host: tried here, too, after the keys that the config names. */
  laterKeyFile?: string;
  /** Socket of an agent, or `none`; default: the config's, else the user's own. */
  agent?: string;
  /** Socket of the user's own agent (SSH_AUTH_SOCK). */
  ownAgent?: string;
  /** Jump hosts, "[user@]host[:port]", by commas; default: the config's. */
  jump?: string;
  /** "SHA256:…" of the host's key, instead of known_hosts. */
  fingerprint?: string;
  /** Files of known_hosts to use instead of the config's. */
  knownHosts?: string[];
  /** True to accept an unknown key, and to store it in the first known_hosts file. Never accepts a changed key. */
  acceptNew?: boolean;
  /** Configuration to use instead of ~/.ssh/config. */
  configFile?: string;
}

/** One machine on the way, with everything that a connection needs. */
export interface Target {
  address: string;
  port: number;
  user: string;
  keyFiles: string[];
  /** True if the user named the key: then it must be usable. */
  keyNamed: boolean;
  agent: string | undefined;
  /** True to use only those keys of the agent that are also among the files (IdentitiesOnly). */
  onlyFiles: boolean;
  knownHosts: string[];
  knownName: string;
  fingerprint: string | undefined;
  acceptNew: boolean;
}

/** Most jump hosts in a row; more means an endless chain. */
const MOST_JUMPS = 8;

/**
 * Resolves the targets on the way to a host, the host last. `ssh -G` reads the config. `reached`: addresses that are
 * reached through this one. Throws HostConfigError.
 */
export async function resolveTargets(host: string, given: SshAddress, reached: string[] = []): Promise<Target[]> {
  if (reached.length > MOST_JUMPS) throw endless(host, reached.slice(1, 4).join(', then through '));
  const settings = await readSettings(host, given);
  const command = settings.get('proxycommand')?.[0];
  if (command !== undefined && command !== 'none')
    throw new HostConfigError(host, `ProxyCommand is not supported (${command}): use ProxyJump, or jump in fleet.yaml`);
  const target = targetOf(given, settings);
  const jumps = settings.get('proxyjump')?.[0] ?? 'none';
  if (jumps === 'none') return [target];
  const [first = '', ...others] = jumps.split(',');
  // As in ssh: the first jump host may have jump hosts itself. Each later jump host is reached through earlier ones.
  const firstJumps = await resolveTargets(host, hop(host, first, given), [...reached, given.address]);
  const via = others.map((jump): SshAddress => ({ ...hop(host, jump, given), jump: 'none' }));
  const laterJumps = await Promise.all(via.map(async (jump) => targetOf(jump, await readSettings(host, jump))));
  return [...firstJumps, ...laterJumps, target];
}

const endless = (host: string, via: string): HostConfigError =>
  new HostConfigError(
    host,
    'expected a first jump host that is reached directly; in ~/.ssh/config the chain never ends: ' +
      `through ${via}, …. Give the first jump host "ProxyJump none" there`,
  );

/** Parses a jump host. It inherits settings of the host that is reached through it. */
function hop(host: string, text: string, given: SshAddress): SshAddress {
  const match = /^(?:ssh:\/\/)?(?:([^@]+)@)?(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(text.trim());
  const [, user, address, port] = match ?? [];
  const laterKeyFile = given.keyFile ?? given.laterKeyFile;
  if (!address) throw new HostConfigError(host, `jump host: expected [user@]host[:port]; got ${JSON.stringify(text)}`);
  const inherited = pick(given, ['agent', 'ownAgent', 'knownHosts', 'acceptNew', 'configFile']);
  const jump: SshAddress = { address: address.replace(/^\[|\]$/g, ''), ...inherited };
  if (user !== undefined) jump.user = user;
  if (port !== undefined) jump.port = Number(port);
  if (laterKeyFile !== undefined) jump.laterKeyFile = laterKeyFile;
  return jump;
}

function pick(given: SshAddress, names: (keyof SshAddress)[]): Partial<SshAddress> {
  return Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}

type Settings = Map<string, string[]>;

async function readSettings(host: string, given: SshAddress): Promise<Settings> {
  const { address, port, user, jump, configFile } = given;
  const options: string[] = [];
  if (configFile !== undefined) options.push('-F', configFile);
  if (port !== undefined) options.push('-p', String(port));
  if (user !== undefined) options.push('-l', user);
  if (jump !== undefined) options.push('-o', `ProxyJump=${jump}`);
  try {
    const { stdout } = await promisify(execFile)('ssh', [...options, '-G', '--', address], { timeout: 10_000 });
    return parseSettings(stdout);
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: string };
    if (stderr?.includes('jumphost loop')) throw endless(host, address);
    if (code !== 'ENOENT') throw new HostConfigError(host, `ssh -G ${address}: ${stderr?.trim() || String(error)}`);
    // Without an ssh program there is no config either.
    return new Map(jump === undefined ? [] : [['proxyjump', [jump]]]);
  }
}

/** Parses the output of `ssh -G`: one name and one value a line, some names several times. */
function parseSettings(text: string): Settings {
  const settings: Settings = new Map();
  for (const line of text.split('\n')) {
    const [name = '', ...value] = line.trim().split(' ');
    if (name !== '') settings.set(name, [...(settings.get(name) ?? []), value.join(' ')]);
  }
  return settings;
}

const USUAL_KEYS = ['id_ed25519', 'id_ecdsa', 'id_rsa'].map((name) => `~/.ssh/${name}`);
/** Key files that `ssh -G` prints if the config names none. */
const UNNAMED = /^~\/\.ssh\/id_(rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk|xmss)$/;

/** Key files to try. Their order matters: a host accepts only so many tries (MaxAuthTries). */
function keysOf({ keyFile, laterKeyFile }: SshAddress, configured: string[] = USUAL_KEYS): string[] {
  if (keyFile !== undefined) return [keyFile];
  if (laterKeyFile === undefined) return configured;
  const isNamed = configured.some((file) => !UNNAMED.test(file));
  return isNamed ? [...configured, laterKeyFile] : [laterKeyFile, ...configured];
}

function targetOf(given: SshAddress, settings: Settings): Target {
  const first = (name: string): string | undefined => settings.get(name)?.[0];
  const address = first('hostname') ?? given.address;
  const port = Number(first('port') ?? given.port ?? 22);
  const user = first('user') ?? given.user ?? userInfo().username;
  const expand = (path: string): string => expandPath(path, { h: address, p: String(port), r: user, n: given.address });
  // ssh's "none" means no file.
  const files = [...words(first('userknownhostsfile')), ...words(first('globalknownhostsfile'))].map((file) =>
    file === 'none' ? '/dev/null' : file,
  );
  return {
    address,
    port,
    user,
    keyFiles: keysOf(given, settings.get('identityfile')).map(expand),
    keyNamed: given.keyFile !== undefined,
    agent: agentOf(given, first('identityagent'), expand),
    onlyFiles: first('identitiesonly') === 'yes',
    knownHosts: (given.knownHosts ?? (files.length > 0 ? files : ['~/.ssh/known_hosts'])).map(expand),
    knownName: first('hostkeyalias') ?? knownName(address, port),
    fingerprint: given.fingerprint,
    acceptNew: given.acceptNew ?? false,
  };
}

/** Socket of the agent that the fleet names, else the config's, else the user's own. */
function agentOf(
  { agent, ownAgent }: SshAddress,
  configured: string | undefined,
  expand: (path: string) => string,
): string | undefined {
  const named = agent ?? configured ?? 'SSH_AUTH_SOCK';
  if (named === 'none') return undefined;
  return named === 'SSH_AUTH_SOCK' || named === '$SSH_AUTH_SOCK' ? ownAgent : expand(named);
}

const words = (text: string | undefined): string[] => (text ?? '').split(' ').filter(Boolean);

/** Expands ssh's tokens, such as %h, and a leading ~ in a path. */
function expandPath(path: string, tokens: Record<string, string>): string {
  const all: Record<string, string> = { ...tokens, '%': '%', d: homedir(), u: userInfo().username };
  const full = path.replace(/%(.)/g, (token, letter: string) => all[letter] ?? token);
  return full === '~' || full.startsWith('~/') ? join(homedir(), full.slice(1)) : full;
}
