import type { Store } from '../../db/store.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import { createRandom } from '../../domain/random.ts';
import type { ParentRule } from '../../domain/search/parent.ts';
import { parentRuleOf } from '../../domain/search/parent/table.ts';
import { seedOf } from '../../domain/trial/seed.ts';
import { proposesBy } from '../../domain/trial/trial-seeds.ts';
import type { Task } from '../../domain/task/task.ts';
import { pointsOf } from '../research/points.ts';

/**
 * Fixes who proposes and what the proposal is made from, once, under the research's lock: of two proposals at once the second
 * sees the first one's choice. A repeated call returns what was chosen first.
 */
export const beginProposal = (store: Store, { trial, task }: { trial: Trial; task: Task }): Promise<Trial> =>
  store.withResearch(trial.researchId, async (tx, research) => {
    const stored = await tx.trial.loadTrial(trial.id);
    if (stored.parentId !== null && stored.proposer !== null) return stored;
    const { method, settings } = parentRuleOf(task.search.parent);
    const rule: ParentRule = method;
    const nodes = rule.reads === 'lineage' ? await tx.research.readLineage(research.id) : [];
    const random = createRandom(seedOf(`${proposesBy(stored)}/parent`));
    const { candidateId, reason } = rule.choose({ ...pointsOf(research), nodes }, { settings, random });
    return tx.trial.beginProposal({
      trialId: trial.id,
      researchId: research.id,
      parentId: candidateId,
      parentReason: reason,
      proposer: research.proposer,
    });
  });
