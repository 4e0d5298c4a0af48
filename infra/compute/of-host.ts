import type { FleetHost } from '../../domain/fleet/fleet.ts';
import { createSshCompute, type SshCompute } from './ssh.ts';

/** The adapter of a host of the fleet. */
export function computeOfHost(host: FleetHost, { installation }: { installation: string }): SshCompute {
  const { name, address = name, hostKey, readable, scratch, path, keepDays, cacheGb } = host;
  const { port, user, keyFile, agent, jump, knownHosts } = host;
  return createSshCompute({
    host: name,
    installation,
    address,
    readable,
    keepDays,
    cacheGb,
    acceptNew: hostKey === 'first-use',
    ...(hostKey.startsWith('SHA256:') ? { fingerprint: hostKey } : {}),
    ...defined({ port, user, keyFile, agent, jump, knownHosts, scratch, path }),
  });
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

const defined = <T extends object>(values: T): Defined<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
