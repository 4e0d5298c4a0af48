import type { Tx } from '../../db/connect.ts';
import { findInstallation } from '../../db/research/research.ts';
import type { Caller } from '../../infra/compute/of-host.ts';
import { configOf } from '../context.ts';
import type { Io } from '../io.ts';

/** This user, on behalf of the installation of the database. */
export const callerOf = async (io: Io, db: Tx): Promise<Caller> => ({
  installation: (await findInstallation(db)).id,
  sshAgent: (await configOf(io)).sshAgent,
});
