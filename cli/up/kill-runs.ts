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
  trialId: string;
  placement: number;
  fence: number;
  /** The host that the GPUs of this machine are, where it runs on them. */
  gpus?: HostSpec;
}

/** Detached runs of this machine that have not ended. One that was killed or lost has a time of its end and no more. */
export interface LivingRuns {
  installation: string;
  runs: LivingRun[];
  /** How many there are on other hosts: whoever ends this stack does not end theirs. */
  elsewhere: number;
}

/** Reads which runs are under way; throws where Postgres does not answer in time. */
export async function readLivingRuns(databaseUrl: string, home: string): Promise<LivingRuns> {
  const { db, close } = connect(databaseUrl, { max: 1, onError: () => {} }); // the query below reports it
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('Postgres did not answer in time')), READ_WITHIN_MS).unref();
  });
  const read = async () => {
    const [installation] = await db.select().from(installations);
    const here = await readLocalHostName(home);
    const living = await db
      .select({
        host: runs.host,
        spec: hosts.spec,
        ...{ trialId: runs.trialId, placement: runs.placement, fence: runs.fence },
      })
      .from(runs)
      .leftJoin(hosts, eq(hosts.name, runs.host))
      .where(and(isNotNull(runs.launchedAt), isNull(runs.end), isNull(runs.endedAt)));
    const own = living.flatMap(({ host, spec, ...run }) => {
      if (host === here) return [run];
      return here !== null && spec?.own === here ? [{ ...run, gpus: spec }] : [];
    });
    return { installation: installation?.id ?? '', runs: own, elsewhere: living.length - own.length };
  };
  try {
    return await Promise.race([read(), late]);
  } finally {
    void close().catch(() => undefined); // its server may be gone already
  }
}

/** Ends these runs on this machine, each with its grace; returns how many there were. Throws where one outlives it. */
export async function killRuns(
  { home, env }: Pick<Config, 'home' | 'env'>,
  { installation, runs: living }: LivingRuns,
): Promise<number> {
  if (living.length === 0) return 0;
  const compute: Compute = createLocalCompute({ home, installation });
  const caller = { installation, sshAgent: null, own: { home: await readLocalHostName(home), env } };
  const kill = async ({ gpus, ...run }: LivingRun): Promise<void> => {
    if (!gpus) return compute.kill(run, run.fence);
    const there = computeOfHost(gpus, caller);
    await there.kill(run, run.fence).finally(() => there.close());
  };
  await Promise.all(living.map(kill));
  return living.length;
}
