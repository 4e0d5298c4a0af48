import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import type { Config } from '../../config/load.ts';
import { connect } from '../../db/connect.ts';
import { hosts, installations, runs } from '../../db/schema.ts';
import type { HostSpec } from '../../domain/fleet/fleet.ts';
import type { Compute } from '../../infra/compute.ts';
import { readLocalHostName } from '../read-local-host-name.ts';
import { createLocalCompute } from '../../infra/compute/local.ts';
import { computeOfHost } from '../../infra/compute/compute-of-host.ts';

const READ_WITHIN_MS = 5000;

interface LivingRun {
  jobId: string;
  placement: number;
  fence: number;
  /** Host of the fleet that stands for this machine's GPUs; absent for a run outside of that host. */
  gpus?: HostSpec;
}

/** Detached runs that have not ended. */
export interface LivingRuns {
  installation: string;
  /** Runs on this machine. */
  runs: LivingRun[];
  /** Number of runs on other hosts. The end of this stack does not end them. */
  elsewhere: number;
}

/** Reads the runs that have not ended. Throws if Postgres does not answer in time. */
export async function readLivingRuns(databaseUrl: string, home: string): Promise<LivingRuns> {
  const { db, close } = connect(databaseUrl, { max: 1, onError: () => {} }); // the query below reports errors
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('Postgres did not answer in time')), READ_WITHIN_MS).unref();
  });
  const read = async () => {
    const [installation] = await db.select().from(installations);
    const localHost = await readLocalHostName(home);
    // A killed or lost run has `endedAt` without `end`.
    const living = await db
      .select({
        host: runs.host,
        spec: hosts.spec,
        jobId: runs.jobId,
        placement: runs.placement,
        fence: runs.fence,
      })
      .from(runs)
      .leftJoin(hosts, eq(hosts.name, runs.host))
      .where(and(isNotNull(runs.launchedAt), isNull(runs.end), isNull(runs.endedAt)));
    const localRuns = living.flatMap(({ host, spec, ...run }) => {
      if (host === localHost) return [run];
      return localHost !== null && spec?.own === localHost ? [{ ...run, gpus: spec }] : [];
    });
    return { installation: installation?.id ?? '', runs: localRuns, elsewhere: living.length - localRuns.length };
  };
  try {
    return await Promise.race([read(), timeout]);
  } finally {
    void close().catch(() => undefined); // the server may be gone already
  }
}

/** Kills runs on this machine, each after its grace period; returns their number. Throws if a run survives. */
export async function killRuns(
  { home, env }: Pick<Config, 'home' | 'env'>,
  { installation, runs: living }: LivingRuns,
): Promise<number> {
  if (living.length === 0) return 0;
  const compute: Compute = createLocalCompute({ home, installation });
  const caller = { installation, sshAgent: null, ownHome: { home: await readLocalHostName(home), env } };
  const kill = async ({ gpus, ...run }: LivingRun): Promise<void> => {
    if (!gpus) return compute.kill(run, run.fence);
    const gpuHost = computeOfHost(gpus, caller);
    await gpuHost.kill(run, run.fence).finally(() => gpuHost.close());
  };
  await Promise.all(living.map(kill));
  return living.length;
}
