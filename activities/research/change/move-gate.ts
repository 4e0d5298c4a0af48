import { isDeepStrictEqual } from 'node:util';
import type { Research } from '../../../db/research/research.ts';
import type { TxStore } from '../../../db/store.ts';
import type { TaskVersion } from '../../../db/task/task-version.ts';
import { gateEvents } from '../../../domain/event/gate-events.ts';
import { changeRule } from '../../../domain/gate/gate.ts';
import type { GateConfig, GateState, WantedRun } from '../../../domain/gate/types.ts';
import { reasonOfClaim } from '../../outcome/reason-of-claim.ts';
import { findFixedFiles } from '../../task/edit-scope.ts';
import { storeAdvance } from '../../outcome/store-advance.ts';
import { renewRawBest } from '../renew-raw-best.ts';

type Version = Pick<TaskVersion, 'hash' | 'task' | 'mutablePaths'>;

/**
 * Changes the gate to the new settings. `outside`: candidates with a value outside the new bounds. Returns the number
 * of injected proposals that were dropped.
 */
export async function reconfigureGate(
  tx: TxStore,
  research: Research,
  { config, after, outside }: { config: GateConfig; after: Version; outside: readonly string[] },
): Promise<number> {
  const { id, gate, gateConfig } = research;
  const dropped = await dropUnfit(tx, id, after);
  if (isDeepStrictEqual(config, gateConfig) && outside.length === 0) {
    await renewRawBest(tx, research, gate);
    return dropped;
  }
  const withdrawn = await tx.research.withdrawGateRuns(id);
  const advance = changeRule(gate, { before: gateConfig, after: config, withdrawn, outside });
  await storeAdvance(tx, research, advance);
  await renewRawBest(tx, { id, gateConfig: config }, advance.state);
  const source = { researchId: id, by: 'gate' as const, reason: reasonOfClaim(advance) };
  await tx.event.insertEvents(gateEvents(gate, advance, source));
  return dropped;
}

interface NewGateInput {
  researchId: string;
  baseline: { id: string };
  gate: { state: GateState; wanted: WantedRun[] };
  after: Version;
  /** True if waiting injected proposals get the new baseline as their parent; otherwise they are dropped. */
  keepsIdeas: boolean;
}

/** Opens a new gate. Returns the number of injected proposals that were dropped. */
export async function openNewGate(tx: TxStore, input: NewGateInput): Promise<number> {
  const { researchId, baseline, gate, after, keepsIdeas } = input;
  const dropped = keepsIdeas ? await dropUnfit(tx, researchId, after) : await dropAll(tx, researchId);
  await tx.research.withdrawGateRuns(researchId);
  await tx.research.reparentInjected({ researchId, parentId: baseline.id });
  const discardedByPerson = await tx.research.findDiscardedByPerson(researchId);
  await tx.research.updateResearch(researchId, {
    gate: { ...gate.state, discardedByPerson },
    baselineCandidate: baseline.id,
  });
  await tx.research.insertWantedRuns(researchId, gate.wanted);
  return dropped;
}

/** Drops injected proposals that change files which are no longer mutable. Returns their number. */
async function dropUnfit(tx: TxStore, researchId: string, version: Version): Promise<number> {
  const injected = await tx.research.findInjected(researchId);
  const fixed = await findFixedFiles(tx, { candidateIds: injected, version });
  const unfit = new Set(fixed.map(({ id }) => id));
  await tx.research.withdrawInjected({ researchId, candidateIds: [...unfit] });
  return injected.filter((candidateId) => unfit.has(candidateId)).length;
}

/** Drops all injected proposals that have not run. Returns their number. */
async function dropAll(tx: TxStore, researchId: string): Promise<number> {
  const candidateIds = await tx.research.findInjected(researchId);
  await tx.research.withdrawInjected({ researchId, candidateIds });
  return candidateIds.length;
}
