import type { Tx } from '../../db/connect.ts';
import { findInstallation } from '../../db/research/research.ts';
import type { HostClient } from '../../infra/compute/compute-of-host.ts';
import { configOf } from '../context.ts';
import type { Io } from '../io.ts';
import { readLocalHostName } from '../read-local-host-name.ts';

/** Returns this process as a client of hosts, with the installation id of the database. */
export async function callerOf(io: Io, db: Tx): Promise<HostClient> {
  const { home, env, sshAgent } = configOf(io);
  return {
    installation: (await findInstallation(db)).id,
    sshAgent,
    ownHome: { home: await readLocalHostName(home), env },
  };
}
