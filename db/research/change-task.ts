import { isDeepStrictEqual } from 'node:util';
import { and, eq, inArray, isNull, ne } from 'drizzle-orm';
import { changeRule } from '../../domain/gate/gate.ts';
import type { GateConfig, GateState, WantedRun } from '../../domain/gate/types.ts';
import type { Settings } from '../../domain/search/overrides.ts';
import { notTaken } from '../../domain/task/not-taken.ts';
import { runsOtherwise } from '../../domain/task/runs-otherwise.ts';
import type { Db, Tx } from '../connect.ts';
import { wantedRuns } from '../schema.ts';
import { saveCandidate } from '../trial/candidate.ts';
import { findFixed } from './comparable.ts';
import { insertAlert, insertWants, lockResearch, updateResearch, type Research } from './research.ts';
import { storeAdvance } from './store-advance.ts';
import { loadTaskVersion, type TaskVersion } from '../task/task-version.ts';

export interface ChangeTaskInput {
  researchId: string;
  /** Names this change: repeated, it is answered as it was first, unless another one came between. */
  key?: string;
  taskHash: string;
  baseline: { id: string; immutableHash: string; files: Record<string, string> };
  /** The method from here on, and overrides that the new version does not take. */
  own: { settings: Settings; settingsHash: string; unfit: string[] };
  /** The gate to start with where the incumbent cannot stay. */
  gate: { config: GateConfig; state: GateState; wants: WantedRun[] };
}

/**
 * Points a research at another task version; the incumbent stays only if evaluator and metric are the same and what it
 * changes is still mutable.
 */
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
  const why = await whyDropped(tx, research, { before, after });
  await saveCandidate(tx, input.baseline);
  const { unfit, ...settings } = input.own;
  await updateResearch(tx, research.id, { taskHash: input.taskHash, gateConfig: input.gate.config, ...settings });
  const dropped = why === null ? await goOn(tx, research, { input, after }) : await startOver(tx, input);
  const incumbent = why === null ? 'kept' : `dropped: ${why}`;
  const otherwise = why === null ? runsOtherwise(before.task, after.task) : [];
  const measured =
    otherwise.length > 0
      ? `; ${otherwise.join(' and ')} changed: baseline and incumbent keep the values they had, which new ones may not compare with; start it under another id to measure anew`
      : '';
  const other = before.task.name === after.task.name ? '' : `, another one than ${before.task.name},`;
  const injected = dropped > 0 ? `; ${dropped} injected proposals that had not run are dropped: inject them again` : '';
  const left = notTaken(before.task, after.task, research);
  const own = unfit.length > 0 ? `; values of its own that no longer fit: ${unfit.join('; ')}` : '';
  const notOwn = left.length > 0 ? `; not taken by a running research: ${left.join(', ')}` : '';
  await insertAlert(tx, {
    researchId: research.id,
    message: `task changed to ${after.task.name}${other} ${after.hash.slice(0, 12)}; incumbent ${incumbent}${measured}${injected}${notOwn}${own}`,
  });
  return why === null;
}

/** Why the incumbent, and what is compared with it, cannot go over to the new version; null where it can. */
async function whyDropped(
  tx: Tx,
  { gate }: Research,
  { before, after }: { before: TaskVersion; after: TaskVersion },
): Promise<string | null> {
  if (before.metricKey !== after.metricKey) return 'evaluator or metric differ';
  const followed = [...gate.subjects, ...gate.held].map(({ candidateId }) => candidateId);
  const [fixed] = await findFixed(tx, [...followed, gate.incumbentId], after);
  return fixed ? `${fixed.path} is no longer mutable` : null;
}

/** Takes the gate over to the new settings; returns how many injected proposals were dropped. */
async function goOn(
  tx: Tx,
  research: Research,
  { input, after }: { input: ChangeTaskInput; after: TaskVersion },
): Promise<number> {
  const { id, gate, gateConfig } = research;
  const isOpen = and(eq(wantedRuns.researchId, id), isNull(wantedRuns.n));
  const injected = await tx
    .select()
    .from(wantedRuns)
    .where(and(isOpen, eq(wantedRuns.kind, 'injected')));
  const ids = injected.map(({ candidateId }) => candidateId);
  const unfit = new Set((await findFixed(tx, ids, after)).map((fixed) => fixed.id));
  if (unfit.size > 0)
    await tx
      .delete(wantedRuns)
      .where(and(isOpen, eq(wantedRuns.kind, 'injected'), inArray(wantedRuns.candidateId, [...unfit])));
  const { config } = input.gate;
  if (!isDeepStrictEqual(config, gateConfig)) {
    const taken = await tx
      .delete(wantedRuns)
      .where(and(isOpen, ne(wantedRuns.kind, 'injected')))
      .returning({ candidateId: wantedRuns.candidateId });
    const withdrawn = taken.map(({ candidateId }) => candidateId);
    await storeAdvance(tx, research, changeRule(gate, { before: gateConfig, after: config, withdrawn }));
  }
  return ids.filter((one) => unfit.has(one)).length;
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
