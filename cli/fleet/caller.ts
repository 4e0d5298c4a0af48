import type { Tx } from '../../db/connect.ts';
import { findInstallation } from '../../db/research/research.ts';
import type { Caller } from '../../infra/compute/of-host.ts';
import { configOf } from '../context.ts';
import type { Io } from '../io.ts';
import { ownHost } from '../own-host.ts';

/** This user, on behalf of the installation of the database. */
export async function callerOf(io: Io, db: Tx): Promise<Caller> {
  const { home, env, sshAgent } = configOf(io);
  return { installation: (await findInstallation(db)).id, sshAgent, own: { home: await ownHost(home), env } };
}
