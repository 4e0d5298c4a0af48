import { ApplicationFailure, Context, log } from '@temporalio/activity';
import type { Update } from '../db/learning/updates.ts';
import type { Research } from '../db/research/research.ts';
import { updatePlanIn } from '../domain/search/update/table.ts';
import { choiceIn, factsOf } from '../domain/search/proposer/makers.ts';
import type { PolicyError } from '../infra/policy.ts';
import { droppable, checkpointSpaceShortage } from '../domain/learning/weights/droppable.ts';
import type { StepBatch } from '../domain/learning/step.ts';
import type { UpdatePlan } from '../domain/learning/plan.ts';
import { isPolicyError } from './learning/is-policy-error.ts';
import { withHeartbeat } from './with-heartbeat.ts';
import type { ActivityDeps } from './deps.ts';
import { DOWN_AFTER_ATTEMPTS } from './propose/report-endpoint-down.ts';
import { endWithVersion, endWithoutVersion } from './learning/end-update.ts';
import { beginUpdate } from './learning/begin-update.ts';
import { gatherBatch } from './learning/gather-batch.ts';

export interface LearnInput {
  researchId: string;
  k: number;
}

/** Steps that failed before the research goes on with the version that it had. */
const MOST_FAILURES = 5;

const NO_PLAN = { state: 'empty', reason: 'the research does not learn any more' } as const;

export interface Learnt {
  /** The run of the research that is in charge. */
  researchRun: string | null;
}

export const createLearnActivities = (deps: ActivityDeps) => ({
  /** Carries out one update of a policy, once: a step that is done is answered by its key. */
  learn: async ({ researchId, k }: LearnInput): Promise<Learnt> =>
    withHeartbeat(async (signal) => {
      const due = await deps.store.learning.findUpdate({ researchId, k });
      if (!due) throw new Error(`Expected update ${k} of ${researchId} in the database`);
      if (due.state === 'due') {
        const research = await loadResearch(deps, researchId);
        const plan = updatePlanIn(research.settings?.search ?? {});
        if (plan === null) await endWithoutVersion(deps, due, NO_PLAN);
        else await learnFrom({ deps, signal, research, plan }, due);
      }
      // However it ended: of a policy that halts nobody else would notice that its server is back.
      await deps.store.call.recordEndpoint({ researchId, down: null });
      return { researchRun: (await loadResearch(deps, researchId)).runId };
    }),
});

async function loadResearch({ store }: ActivityDeps, researchId: string): Promise<Research> {
  const research = await store.research.findResearch(researchId);
  if (!research) throw new Error(`Expected research ${researchId} in the database`);
  return research;
}

interface Learning {
  deps: ActivityDeps;
  signal: AbortSignal;
  research: Research;
  plan: UpdatePlan;
}

type Deps = Pick<ActivityDeps, 'store' | 'policy' | 'machine'>;

/** All weights come with two averages of the optimiser for each. */
const WITH_AVERAGES = 3;

/**
 * A step waits where its checkpoint may fill the disk, on which Postgres and Temporal write as well; the research says so. A
 * child is as large as its parent. The first one of low-rank weights is small.
 */
async function requireStepRoom(
  { store, policy, machine }: Deps,
  { researchId, batch: { stepKey, parent, base, adapter } }: { researchId: string; batch: StepBatch },
): Promise<void> {
  // Done before: it is only answered.
  if ((await policy.checkpoints.bytes(policy.checkpoints.folder(stepKey))) > 0) return;
  const first = adapter.kind === 'full' ? WITH_AVERAGES * (await policy.checkpoints.bytes(base.path)) : 0;
  const checkpointBytes = parent === null ? first : await policy.checkpoints.bytes(parent.path);
  const full = checkpointSpaceShortage((await machine.freeDisk()).bytes, checkpointBytes);
  if (full === null) return;
  await store.call.recordEndpoint({ researchId, down: `policy: ${full}` });
  throw ApplicationFailure.retryable(`policy: ${full}`, 'DiskFull');
}

async function learnFrom(of: Learning, due: Update): Promise<void> {
  const { deps, signal, research, plan } = of;
  const base = baseOf(research);
  try {
    const facts = await deps.policy.facts(base, signal);
    const start = await beginUpdate(of, due);
    const gathered = await gatherBatch(of, { start, facts, base });
    if (gathered.batch === null) {
      await endWithoutVersion(deps, start, { state: 'empty', reason: gathered.reason, skipped: gathered.skipped });
      return;
    }
    await dropOld(deps, research.id, plan);
    await requireStepRoom(deps, { researchId: research.id, batch: gathered.batch });
    await deps.store.learning.noteStep({ ...due, stepKey: gathered.batch.stepKey });
    deps.reach('step-requested');
    const result = await deps.policy.step(gathered.batch, { base }, signal);
    deps.reach('step-done');
    await endWithVersion(of, start, { ...gathered, result });
    deps.reach('update-stored');
    await dropOld(deps, research.id, plan);
  } catch (error) {
    if (!isPolicyError(error)) throw error;
    await orGiveUp(of, due, error);
  }
}

/**
 * Removes the weights of versions that are old: first from the research, under its lock, so that nobody begins to use them, then
 * from the disk. What a dead worker has left of that is removed with the next ones.
 */
export async function dropOld(
  deps: Pick<ActivityDeps, 'store' | 'policy' | 'reach'>,
  researchId: string,
  { keep, group }: Pick<UpdatePlan, 'keep' | 'group'>,
): Promise<void> {
  await deps.store.withResearch(researchId, async (tx) => {
    const { versions, inUse } = await tx.learning.readKeptVersions({ researchId, group });
    await tx.learning.markWeightsRemoved({ researchId, ks: droppable(versions, { keep, inUse }) });
  });
  deps.reach('weights-dropped');
  const { checkpoints } = deps.policy;
  for (const stepKey of await deps.store.learning.findRemovedWeights(await checkpoints.list()))
    try {
      await checkpoints.remove(stepKey);
    } catch (error) {
      // The learning goes on; the next update tries it again.
      log.warn('a checkpoint could not be removed', { researchId, stepKey, error: String(error) });
    }
}

/** A batch that is refused would be again; a step that failed often is given up, a server that is away is waited for. */
async function orGiveUp(of: Learning, due: Update, { kind, message }: PolicyError): Promise<void> {
  const { store } = of.deps;
  const failures = kind === 'failed' ? await store.learning.noteFailedStep(due) : 0;
  const gaveUp = kind === 'refused' ? 'refused' : failures >= MOST_FAILURES ? 'failed' : null;
  if (gaveUp !== null) return endWithoutVersion(of.deps, due, { state: gaveUp, reason: message.slice(0, 2000) });
  const words = `policy: ${message}`;
  if (kind === 'down' && Context.current().info.attempt >= DOWN_AFTER_ATTEMPTS)
    await store.call.recordEndpoint({ researchId: due.researchId, down: words.slice(0, 500) });
  throw ApplicationFailure.create({ message: words, type: kind === 'down' ? 'EndpointDown' : 'StepFailed' });
}

/** The model whose policy learns: what the proposer of the research samples. */
function baseOf(research: Research): string {
  const [learner] = factsOf(choiceIn(research)).learners;
  const base = learner?.settings['base'];
  if (typeof base !== 'string')
    throw new Error(`Expected a proposer with a model that learns, got ${research.proposer}`);
  return base;
}
