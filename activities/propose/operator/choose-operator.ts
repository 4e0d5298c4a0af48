import type { Research } from '../../../db/research/research.ts';
import type { TxStore } from '../../../db/store.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import { asSettings } from '../../../domain/method/axis.ts';
import type { StartsFrom } from '../../../domain/search/operator/operator.ts';
import { drawOperator, INSTEAD, operatorOf } from '../../../domain/search/operator/table.ts';
import type { ParentChoice } from '../../../domain/search/parent.ts';
import type { Maker } from '../../../domain/search/proposer/makers.ts';
import { createRandom } from '../../../domain/statistics/random.ts';
import type { Task } from '../../../domain/task/task.ts';
import { hashToSeed } from '../../../domain/trial/seed.ts';
import { proposerSeedOf } from '../../../domain/trial/trial-seeds.ts';

/** The operator of a trial, with what its proposal starts from. */
export interface ChosenOperator extends Pick<Trial, 'operator' | 'operatorReason' | 'secondParentId'> {
  parent: ParentChoice;
}

interface Choosing {
  research: Research;
  trial: Trial;
  task: Task;
  maker: Maker;
  /** Parent that the parent rule chose. */
  parent: ParentChoice;
}

/**
 * Draws the operator of a trial by the trial's seed, and finds what it starts from. If there is nothing of the kind,
 * the trial gets another operator, and the reason says so. The caller holds the research's lock.
 */
export async function chooseOperator(tx: TxStore, choosing: Choosing): Promise<ChosenOperator> {
  const { trial, maker, parent } = choosing;
  const weights = maker.method.operators?.(asSettings(maker.settings)) ?? null;
  if (weights === null) return { parent, operator: null, operatorReason: null, secondParentId: null };
  const drawn = drawOperator(weights, createRandom(hashToSeed(`${proposerSeedOf(trial)}/operator`)));
  const { startsFrom } = operatorOf(drawn).operator;
  const usual = { parent, operator: drawn, operatorReason: 'drawn by weight', secondParentId: null };
  if (startsFrom === undefined) return usual;
  const start = await STARTS[startsFrom](tx, choosing);
  if (typeof start === 'string')
    return { ...usual, operator: INSTEAD, operatorReason: `in place of ${drawn}: ${start}` };
  return { ...usual, ...start };
}

type Start = Partial<Pick<ChosenOperator, 'parent' | 'secondParentId'>>;

/** Finds the start of a proposal, for each way to start. A string: why there is nothing of the kind. */
const STARTS: Record<StartsFrom, (tx: TxStore, choosing: Choosing) => Promise<Start | string>> = {
  crashed: async (tx, { research, trial, parent }) => {
    const crash = await tx.trial.findUnfixedCrash({ researchId: research.id, taskHash: trial.taskHash });
    if (crash === undefined) return 'no crashed candidate is left to fix';
    const { n, candidateId, failure } = crash;
    return { parent: { ...parent, candidateId, reason: `trial ${n}, which crashed (${failure}), to be fixed` } };
  },
  'two-parents': async (tx, { research, trial, task, parent }) => {
    const second = await tx.trial.findSecondParent({
      researchId: research.id,
      taskHash: trial.taskHash,
      parentId: parent.candidateId,
      niche: parent.niche ?? null,
      direction: task.metric.direction,
    });
    return second === undefined ? 'no second parent has a score' : { secondParentId: second.candidateId };
  },
};
