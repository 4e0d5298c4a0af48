import type { Compute } from '../../infra/compute.ts';
import type { ActivityDeps } from '../deps.ts';
import { createOutputFollower } from '../monitor/follow/output-follower.ts';
import { jobLimits } from './run-spec.ts';

/** Of what is stored meanwhile, by a follower that still lives, nothing is doubled: the rest is read once more. */
const TRIES = 3;

type From = { deps: ActivityDeps; compute: Compute; key: { trialId: string; placement: number }; signal: AbortSignal };

/** Stores what a run that is over, no trial's, has printed since it was last followed; repeated, it goes on where it was. */
export async function keepOutput(from: From): Promise<void> {
  for (let tries = 1; ; tries += 1)
    try {
      return await readRest(from);
    } catch (error) {
      if (tries === TRIES || !isFenced(error)) throw error;
    }
}

const isFenced = (error: unknown): boolean => (error as { type?: unknown } | null)?.type === 'Fenced';

async function readRest({ deps: { store }, compute, key, signal }: From): Promise<void> {
  const [run, { job }] = await Promise.all([store.run.findRun(key), store.job.loadJob(key.trialId)]);
  if (!run || job.taskHash === null) return;
  const { task } = await store.task.loadTaskVersion(job.taskHash);
  const most = jobLimits(task, job.spec).outputBytes;
  const output = createOutputFollower({ store, key, run: { ...run, spec: job.spec }, most });
  for await (const event of compute.follow(key, run.logOffset, signal)) {
    if (event.type !== 'output') continue;
    output.push(event, () => undefined);
    // At once: a long output is not held in memory, and what is stored stays so whatever dies.
    await output.commit();
  }
  await output.flush();
}
