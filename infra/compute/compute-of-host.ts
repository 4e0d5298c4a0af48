import type { HostSpec } from '../../domain/fleet/fleet.ts';
import { createSshCompute, type SshCompute, type SshOptions } from './ssh.ts';

/** Who asks a host. */
export interface HostClient {
  installation: string;
  /** Socket of the user's SSH agent. */
  sshAgent: string | null;
  /** Seconds between two signs of life; null, or absent: the adapter's own. */
  aliveSeconds?: number | null;
  /** The home that it works for, and its environment: hosts of that home are this very machine. Absent: none is. */
  ownHome?: OwnHome | undefined;
}

/** A home, by the name that its workers give this machine. */
export interface OwnHome {
  home: string | null;
  env: Readonly<Record<string, string>>;
}

/** What a login has of an environment; a key of ours is no program's business. */
const OF_LOGIN = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LD_LIBRARY_PATH'];

/** The adapter of a host of the fleet. */
export const computeOfHost = (host: HostSpec, caller: HostClient): SshCompute =>
  createSshCompute(optionsOfHost(host, caller));

/** What the adapter is told of a host. */
export function optionsOfHost(host: HostSpec, caller: HostClient): SshOptions {
  const { installation, sshAgent, aliveSeconds = null } = caller;
  const { name, address = name, hostKey, readable, scratch, path, keepDays, cacheGb } = host;
  const { port, user, keyFile, agent, jump, knownHosts } = host;
  return {
    host: name,
    installation,
    address,
    readable,
    keepDays,
    cacheGb,
    acceptNew: hostKey === 'first-use',
    ...(hostKey.startsWith('SHA256:') ? { fingerprint: hostKey } : {}),
    ...(sshAgent === null ? {} : { ownAgent: sshAgent }),
    ...(aliveSeconds === null ? {} : { aliveSeconds }),
    ...defined({ port, user, keyFile, agent, jump, knownHosts, scratch, path }),
    ...(host.own === undefined ? {} : wayHere(host.own, caller.ownHome)),
  };
}

function wayHere(home: string, own: OwnHome | undefined): Pick<SshOptions, 'localEnvironment' | 'unreachableReason'> {
  if (own?.home !== home)
    return {
      unreachableReason: 'these are the GPUs of the machine that its worker runs on; ask there, with its PERPETUA_HOME',
    };
  const { env } = own;
  return { localEnvironment: Object.fromEntries(OF_LOGIN.flatMap((name) => (env[name] ? [[name, env[name]]] : []))) };
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
