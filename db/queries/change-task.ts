import { and, eq, isNull } from 'drizzle-orm';
import type { GateConfig, GateState, WantedRun } from '../../domain/gate/types.ts';
import type { Db } from '../connect.ts';
import { researches, wantedRuns } from '../schema.ts';
import { saveCandidate } from './candidate.ts';
import { insertAlert, insertWants, lockResearch, updateResearch } from './research.ts';
import { loadTaskVersion } from './task-version.ts';

export interface ChangeTaskInput {
  researchId: string;
  taskHash: string;
  baseline: { id: string; immutableHash: string; files: Record<string, string> };
  /** The gate to start with where the metric or the evaluator is another. */
  gate: { config: GateConfig; state: GateState; wants: WantedRun[] };
}

/** Points a research at another task version; the incumbent stays only if evaluator and metric are the same. */
export async function changeTask(db: Db, input: ChangeTaskInput): Promise<{ keptIncumbent: boolean }> {
  return db.transaction(async (tx) => {
    const research = await lockResearch(tx, input.researchId);
    if (research.taskHash === input.taskHash) return { keptIncumbent: true };
    const [before, after] = [await loadTaskVersion(tx, research.taskHash), await loadTaskVersion(tx, input.taskHash)];
    const keptIncumbent = before.metricKey === after.metricKey;
    await saveCandidate(tx, input.baseline);
    await updateResearch(tx, input.researchId, { taskHash: input.taskHash, gateConfig: input.gate.config });
    let dropped = 0;
    if (!keptIncumbent) {
      const wants = await tx
        .delete(wantedRuns)
        .where(and(eq(wantedRuns.researchId, input.researchId), isNull(wantedRuns.n)))
        .returning({ kind: wantedRuns.kind });
      dropped = wants.filter(({ kind }) => kind === 'injected').length;
      await tx
        .update(researches)
        .set({ gate: input.gate.state, baselineCandidate: input.baseline.id })
        .where(eq(researches.id, input.researchId));
      await insertWants(tx, input.researchId, input.gate.wants);
    }
    const incumbent = keptIncumbent ? 'kept' : 'dropped: evaluator or metric differ';
    const injected =
      dropped > 0 ? `; ${dropped} injected proposals that had not run are dropped: inject them again` : '';
    await insertAlert(tx, {
      researchId: input.researchId,
      message: `task changed to ${after.task.name} ${after.hash.slice(0, 12)}; incumbent ${incumbent}${injected}`,
    });
    return { keptIncumbent };
  });
}
