import { and, eq, isNull } from 'drizzle-orm';
import type { GateConfig, GateState, WantedRun } from '../../domain/gate/types.ts';
import type { Db, Tx } from '../connect.ts';
import { wantedRuns } from '../schema.ts';
import { saveCandidate } from './candidate.ts';
import { insertAlert, insertWants, lockResearch, updateResearch, type Research } from './research.ts';
import { loadTaskVersion } from './task-version.ts';

export interface ChangeTaskInput {
  researchId: string;
  /** Names this change: repeated, it is answered as it was first, unless another one came between. */
  key?: string;
  taskHash: string;
  baseline: { id: string; immutableHash: string; files: Record<string, string> };
  /** The gate to start with where the metric or the evaluator is another. */
  gate: { config: GateConfig; state: GateState; wants: WantedRun[] };
}

/** Points a research at another task version; the incumbent stays only if evaluator and metric are the same. */
export async function changeTask(db: Db, input: ChangeTaskInput): Promise<{ keptIncumbent: boolean }> {
  return db.transaction(async (tx) => {
    const research = await lockResearch(tx, input.researchId);
    const { key } = input;
    if (key !== undefined && research.lastChange?.key === key)
      return { keptIncumbent: research.lastChange.keptIncumbent };
    const keptIncumbent = research.taskHash === input.taskHash || (await switchTask(tx, research, input));
    if (key !== undefined) await updateResearch(tx, research.id, { lastChange: { key, keptIncumbent } });
    return { keptIncumbent };
  });
}

/** True if the incumbent stayed. */
async function switchTask(tx: Tx, research: Research, input: ChangeTaskInput): Promise<boolean> {
  const [before, after] = [await loadTaskVersion(tx, research.taskHash), await loadTaskVersion(tx, input.taskHash)];
  const keptIncumbent = before.metricKey === after.metricKey;
  await saveCandidate(tx, input.baseline);
  await updateResearch(tx, input.researchId, { taskHash: input.taskHash, gateConfig: input.gate.config });
  const dropped = keptIncumbent ? 0 : await startOver(tx, input);
  const incumbent = keptIncumbent ? 'kept' : 'dropped: evaluator or metric differ';
  const other = before.task.name === after.task.name ? '' : `, another one than ${before.task.name},`;
  const injected = dropped > 0 ? `; ${dropped} injected proposals that had not run are dropped: inject them again` : '';
  await insertAlert(tx, {
    researchId: input.researchId,
    message: `task changed to ${after.task.name}${other} ${after.hash.slice(0, 12)}; incumbent ${incumbent}${injected}`,
  });
  return keptIncumbent;
}

/** Opens a new gate; returns how many injected proposals were dropped with what the old one wanted. */
async function startOver(tx: Tx, { researchId, baseline, gate }: ChangeTaskInput): Promise<number> {
  const wants = await tx
    .delete(wantedRuns)
    .where(and(eq(wantedRuns.researchId, researchId), isNull(wantedRuns.n)))
    .returning({ kind: wantedRuns.kind });
  await updateResearch(tx, researchId, { gate: gate.state, baselineCandidate: baseline.id });
  await insertWants(tx, researchId, gate.wants);
  return wants.filter(({ kind }) => kind === 'injected').length;
}
