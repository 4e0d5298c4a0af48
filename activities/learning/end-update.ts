import type { Update } from '../../db/learning/updates.ts';
import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { NewEvent } from '../../domain/event/kinds.ts';
import { valuesOf } from '../../domain/learning/gates/adjust.ts';
import { type Fired, judgeUpdate } from '../../domain/learning/gates/judge-update.ts';
import type { StepResult } from '../../domain/learning/step.ts';
import type { UpdateState } from '../../domain/learning/update-state.ts';
import type { UpdatePlan } from '../../domain/learning/plan.ts';
import type { ActivityDeps } from '../deps.ts';

/** Updates in a row without a version after which learning halts: a lasting cause would cost every batch. */
const MOST_BARREN = 3;

type UpdateKey = Pick<Update, 'researchId' | 'k'>;

/**
 * Stores, once, that an update made no version. The research goes on with its present version; after several such
 * updates in a row its learning halts.
 */
export async function endWithoutVersion(
  { store }: Pick<ActivityDeps, 'store'>,
  { researchId, k }: UpdateKey,
  ending: { state: Exclude<UpdateState, 'due' | 'done'>; reason: string; skipped?: Skipped },
): Promise<void> {
  const { state, reason, skipped = [] } = ending;
  await store.withResearch(researchId, async (tx) => {
    if (!(await tx.learning.endUpdate({ researchId, k, state, reason, skipped }))) return;
    const barren = await tx.learning.countUpdatesWithoutVersion(researchId);
    await tx.event.insertEvents([ended(researchId, k, { state, checkpoint: null, reward: null, reason })]);
    if (barren < MOST_BARREN) return;
    const halted = `${barren} updates in a row made no version, the last one: ${reason}`.slice(0, 1000);
    await tx.learning.setPolicy(researchId, { halted });
    await tx.event.insertEvents([{ kind: 'gate-fired', researchId, data: { k, then: 'halt', words: halted } }]);
  });
}

/**
 * Stores the version that an update made, and the decisions of its gates, in one transaction under the research's lock.
 * The version is in force from then on, except in two cases: a gate halts learning, which leaves the last good version
 * in force, or a person has changed the version in force meanwhile.
 */
export async function endWithVersion(
  { deps, research, plan }: { deps: ActivityDeps; research: Research; plan: UpdatePlan },
  start: UpdateKey & Pick<Update, 'parent' | 'adjustments'>,
  made: { result: StepResult; metrics: Record<string, number>; skipped: Skipped },
): Promise<void> {
  const { id: researchId } = research;
  const { k } = start;
  const { stepKey, checkpoint, versions, seconds } = made.result;
  const metrics = { ...made.result.metrics, ...made.metrics };
  const skipped = [...made.skipped, ...made.result.skipped];
  await deps.store.withResearch(researchId, async (tx) => {
    const policy = await tx.learning.findOrInsertPolicy(researchId);
    const before = await tx.learning.readMetrics({ researchId, after: policy.judgedFrom, before: k });
    const values = valuesOf(plan, start.adjustments ?? {});
    const { action, fired, adjustments } = judgeUpdate(plan.gates, { history: [...before, metrics], values });
    const row = { stepKey, checkpoint, metrics, versions: { ...versions }, seconds: { ...seconds }, skipped, fired };
    if (!(await tx.learning.endUpdate({ researchId, k, state: 'done', ...row }))) return;
    const halts = action === 'halt';
    const isNext = !halts && !policy.pinned && policy.halted === null && policy.inForce === start.parent;
    await tx.learning.setPolicy(researchId, {
      ...(isNext ? { inForce: k } : {}),
      ...(halts ? { halted: haltedBy(fired) } : {}),
      adjustments: { ...policy.adjustments, ...adjustments },
    });
    await requestEvaluation(tx, { research, plan, k });
    const reward = metrics['rewardMean'] ?? null;
    await tx.event.insertEvents([
      ended(researchId, k, { state: 'done', checkpoint, reward, reason: null }),
      ...fired.map(({ gate, words }): NewEvent => {
        const data = { k, then: gate.then, words };
        return { kind: 'gate-fired', researchId, data };
      }),
    ]);
  });
}

/** Requests the held-out evaluation of a new version, if it is due. The first version that is made brings version 0. */
async function requestEvaluation(
  tx: TxStore,
  { research, plan: { evaluation }, k }: { research: Research; plan: UpdatePlan; k: number },
): Promise<void> {
  if (evaluation === null) return;
  const { id: researchId, baselineCandidate: candidateId } = research;
  const request = (version: number) =>
    tx.research.insertEvaluations({ researchId, candidateId, version, samples: evaluation.samples });
  if (!(await tx.research.isEvaluationRequested({ researchId, version: 0 }))) await request(0);
  if (k % evaluation.every === 0) await request(k);
}

type Skipped = { id: string; reason: string }[];

/** Reasons of the gates that halt learning. */
const haltedBy = (fired: readonly Fired[]): string =>
  fired
    .filter(({ gate }) => gate.then === 'halt')
    .map(({ words }) => words)
    .join('; ');

const ended = (
  researchId: string,
  k: number,
  data: { state: string; checkpoint: string | null; reward: number | null; reason: string | null },
): NewEvent => ({ kind: 'update-ended', researchId, data: { k, ...data } });
