import type { HostSpec } from '../../domain/fleet/fleet.ts';
import { createSshCompute, type SshCompute, type SshOptions } from './ssh.ts';

/** The process that works with a host. */
export interface HostClient {
  installation: string;
  /** Socket of the user's SSH agent. */
  sshAgent: string | null;
  /** Seconds between keep-alives; null or absent: the adapter's default. */
  aliveSeconds?: number | null;
  /** Home that the process works for. Hosts of that home are this very machine; absent: no host is. */
  ownHome?: OwnHome | undefined;
}

/** A home on this machine. */
export interface OwnHome {
  /** Name that the workers of the home give this machine; null if unknown. */
  home: string | null;
  /** Environment of the process. */
  env: Readonly<Record<string, string>>;
}

/** Variables of a login environment. No other variable is passed on, since it may hold a key. */
const LOGIN_VARIABLES = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LD_LIBRARY_PATH'];

/** Makes the adapter of a host of the fleet. */
export const computeOfHost = (host: HostSpec, caller: HostClient): SshCompute =>
  createSshCompute(optionsOfHost(host, caller));

/** Options of the adapter for a host. */
export function optionsOfHost(host: HostSpec, caller: HostClient): SshOptions {
  const { installation, sshAgent, aliveSeconds = null } = caller;
  const { name, address = name, hostKey, readable, scratch, path, keepDays, cacheGb } = host;
  const { port, user, keyFile, agent, jump, knownHosts } = host;
  const access: Access = host.own === undefined ? {} : accessOfThisMachine(host.own, caller.ownHome);
  const options: SshOptions = {
    host: name,
    installation,
    address,
    readable,
    keepDays,
    cacheGb,
    acceptNew: hostKey === 'first-use',
    ...defined({ port, user, keyFile, agent, jump, knownHosts, scratch, path }),
    ...access,
  };
  if (hostKey.startsWith('SHA256:')) options.fingerprint = hostKey;
  if (sshAgent !== null) options.ownAgent = sshAgent;
  if (aliveSeconds !== null) options.aliveSeconds = aliveSeconds;
  return options;
}

type Access = Pick<SshOptions, 'localEnvironment' | 'unreachableReason'>;

/** Access to a host that is the machine of a home: directly if the caller works for that home, otherwise none. */
function accessOfThisMachine(home: string, callerHome: OwnHome | undefined): Access {
  if (callerHome?.home !== home)
    return {
      unreachableReason:
        "these GPUs belong to another worker's machine; run the command there, with the PERPETUA_HOME of that worker",
    };
  const localEnvironment: Record<string, string> = {};
  for (const name of LOGIN_VARIABLES) {
    const value = callerHome.env[name];
    if (value) localEnvironment[name] = value;
  }
  return { localEnvironment };
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
