import type { FleetHost } from '../../domain/fleet/fleet.ts';
import { createSshCompute, type SshCompute, type SshOptions } from './ssh.ts';

/** Who asks a host. */
export interface Caller {
  installation: string;
  /** Socket of the user's SSH agent. */
  sshAgent: string | null;
  /** Seconds between two signs of life; null, or absent: the adapter's own. */
  aliveSeconds?: number | null;
}

/** The adapter of a host of the fleet. */
export const computeOfHost = (host: FleetHost, caller: Caller): SshCompute =>
  createSshCompute(optionsOfHost(host, caller));

/** What the adapter is told of a host. */
export function optionsOfHost(host: FleetHost, { installation, sshAgent, aliveSeconds = null }: Caller): SshOptions {
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
  };
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
