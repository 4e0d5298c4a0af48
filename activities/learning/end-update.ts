import type { Update } from '../../db/learning/updates.ts';
import type { Research } from '../../db/research/research.ts';
import type { NewEvent } from '../../domain/event/kinds.ts';
import { valuesOf } from '../../domain/learning/adjust.ts';
import { judge } from '../../domain/learning/judge.ts';
import type { StepResult } from '../../domain/learning/step.ts';
import type { UpdatePlan } from '../../domain/search/update.ts';
import type { ActivityDeps } from '../deps.ts';

type Ending =
  | { state: 'done'; result: StepResult; metrics: Record<string, number>; skipped: { id: string; reason: string }[] }
  | { state: 'empty' | 'refused' | 'failed'; reason: string; skipped?: { id: string; reason: string }[] };

/**
 * Stores how an update ended, and what its gates make of it, in one transaction under the research's lock: its version is in
 * force from then on, unless a gate halts the learning, which leaves the last good one, or a person has pinned one.
 */
export async function endUpdate(
  { deps, research, plan }: { deps: ActivityDeps; research: Research; plan: UpdatePlan },
  start: Pick<Update, 'k' | 'parent' | 'adjustments'>,
  ending: Ending,
): Promise<void> {
  const { id: researchId } = research;
  const { k } = start;
  await deps.store.withResearch(researchId, async (tx) => {
    if (ending.state !== 'done') {
      const { state, reason, skipped = [] } = ending;
      if (!(await tx.learning.endUpdate({ researchId, k, state, reason, skipped }))) return;
      await tx.event.insertEvents([ended(researchId, k, { state, checkpoint: null, reward: null, reason })]);
      return;
    }
    const { result, skipped } = ending;
    const metrics = { ...result.metrics, ...ending.metrics };
    const policy = await tx.learning.openPolicy(researchId);
    const before = await tx.learning.readMetrics({ researchId, after: policy.judgedFrom, before: k });
    const judged = judge(plan.gates, {
      history: [...before, metrics],
      values: valuesOf(plan, start.adjustments ?? {}),
    });
    const { stepKey, checkpoint, versions, seconds } = result;
    const row = { stepKey, checkpoint, metrics, versions: { ...versions }, seconds: { ...seconds } };
    const fired = judged.fired;
    const left = [...skipped, ...result.skipped];
    if (!(await tx.learning.endUpdate({ researchId, k, state: 'done', ...row, skipped: left, fired }))) return;
    const halted = judged.action === 'halt' ? judged.fired.map(({ words }) => words).join('; ') : null;
    await tx.learning.setPolicy(researchId, {
      // A person may have set another version meanwhile.
      ...(halted === null && !policy.pinned && policy.inForce === start.parent ? { inForce: k } : {}),
      ...(halted === null ? {} : { halted }),
      adjustments: { ...policy.adjustments, ...judged.adjustments },
    });
    await tx.event.insertEvents([
      ended(researchId, k, { state: 'done', checkpoint, reward: metrics['rewardMean'] ?? null, reason: null }),
      ...fired.map(({ gate, words }): NewEvent => ({
        kind: 'gate-fired',
        researchId,
        data: { k, then: gate.then, words },
      })),
    ]);
  });
}

const ended = (
  researchId: string,
  k: number,
  data: { state: string; checkpoint: string | null; reward: number | null; reason: string | null },
): NewEvent => ({ kind: 'update-ended', researchId, data: { k, ...data } });
