import { isDeepStrictEqual } from 'node:util';
import type { Research } from '../../db/research/research.ts';
import type { Store, TxStore } from '../../db/store.ts';
import type { TaskVersion } from '../../db/task/task-version.ts';
import { eventsOfAdvance } from '../../domain/event/of-advance.ts';
import { changeRule } from '../../domain/gate/gate.ts';
import type { GateConfig, GateState, WantedRun } from '../../domain/gate/types.ts';
import type { Settings } from '../../domain/search/overrides.ts';
import { notTaken } from '../../domain/task/not-taken.ts';
import { runsOtherwise } from '../../domain/task/runs-otherwise.ts';
import { reasonOfClaim } from '../outcome/reason-of-claim.ts';
import { storeAdvance } from '../outcome/store-advance.ts';

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
export const changeTask = (
  { withResearch }: Pick<Store, 'withResearch'>,
  input: ChangeTaskInput,
): Promise<{ keptIncumbent: boolean }> =>
  withResearch(input.researchId, async (tx, research) => {
    const { key } = input;
    if (key !== undefined && research.lastChange?.key === key)
      return { keptIncumbent: research.lastChange.keptIncumbent };
    const keptIncumbent = research.taskHash === input.taskHash || (await switchTask(tx, research, input));
    if (key !== undefined) await tx.research.updateResearch(research.id, { lastChange: { key, keptIncumbent } });
    return { keptIncumbent };
  });

/** True if the incumbent stayed. */
async function switchTask(tx: TxStore, research: Research, input: ChangeTaskInput): Promise<boolean> {
  const before = await tx.task.loadTaskVersion(research.taskHash);
  const after = await tx.task.loadTaskVersion(input.taskHash);
  const why = await whyDropped(tx, research, { before, after });
  await tx.trial.saveCandidate(input.baseline);
  const { unfit, ...settings } = input.own;
  await tx.research.updateResearch(research.id, {
    taskHash: input.taskHash,
    gateConfig: input.gate.config,
    // An old version without new candidates says nothing of the new one.
    withoutNew: 0,
    ...settings,
  });
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
  const { name: task } = after.task;
  const keptIncumbent = why === null;
  const changed = { from: before.hash, to: after.hash, task, keptIncumbent, why };
  await tx.event.insertEvents([{ kind: 'task-changed', researchId: research.id, data: changed }]);
  await tx.research.insertAlert({
    researchId: research.id,
    message: `task changed to ${after.task.name}${other} ${after.hash.slice(0, 12)}; incumbent ${incumbent}${measured}${injected}${notOwn}${own}`,
  });
  return keptIncumbent;
}

/** Why the incumbent, and what is compared with it, cannot go over to the new version; null where it can. */
async function whyDropped(
  tx: TxStore,
  { gate }: Research,
  { before, after }: { before: TaskVersion; after: TaskVersion },
): Promise<string | null> {
  if (before.metricKey !== after.metricKey) return 'evaluator or metric differ';
  const followed = [...gate.subjects, ...gate.held].map(({ candidateId }) => candidateId);
  const { mutablePaths } = after;
  const [fixed] = await tx.trial.findFixed({ candidateIds: [...followed, gate.incumbentId], mutablePaths });
  return fixed ? `${fixed.path} is no longer mutable` : null;
}

/** Takes the gate over to the new settings; returns how many injected proposals were dropped. */
async function goOn(
  tx: TxStore,
  research: Research,
  { input, after }: { input: ChangeTaskInput; after: TaskVersion },
): Promise<number> {
  const { id, gate, gateConfig } = research;
  const injected = await tx.research.findInjected(id);
  const fixed = await tx.trial.findFixed({ candidateIds: injected, mutablePaths: after.mutablePaths });
  const unfit = new Set(fixed.map((one) => one.id));
  await tx.research.withdrawInjected({ researchId: id, candidateIds: [...unfit] });
  const { config } = input.gate;
  if (!isDeepStrictEqual(config, gateConfig)) {
    const withdrawn = await tx.research.withdrawGates(id);
    const advance = changeRule(gate, { before: gateConfig, after: config, withdrawn });
    await storeAdvance(tx, research, advance);
    const said = { researchId: id, by: 'gate' as const, reason: reasonOfClaim(advance) };
    await tx.event.insertEvents(eventsOfAdvance(gate, advance, said));
  }
  return injected.filter((one) => unfit.has(one)).length;
}

/** Opens a new gate; returns how many injected proposals were dropped with what the old one wanted. */
async function startOver(tx: TxStore, { researchId, baseline, gate }: ChangeTaskInput): Promise<number> {
  const kinds = await tx.research.withdrawAll(researchId);
  await tx.research.updateResearch(researchId, { gate: gate.state, baselineCandidate: baseline.id });
  await tx.research.insertWants(researchId, gate.wants);
  return kinds.filter((kind) => kind === 'injected').length;
}
