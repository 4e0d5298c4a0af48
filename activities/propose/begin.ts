import { ApplicationFailure } from '@temporalio/activity';
import type { Research } from '../../db/research/research.ts';
import type { Store, TxStore } from '../../db/store.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import { createRandom } from '../../domain/random.ts';
import type { ParentRule } from '../../domain/search/parent.ts';
import { learns } from '../../domain/search/proposer/table.ts';
import { parentRuleOf } from '../../domain/search/parent/table.ts';
import { seedOf } from '../../domain/trial/seed.ts';
import { proposesBy } from '../../domain/trial/trial-seeds.ts';
import type { Task } from '../../domain/task/task.ts';
import { type Chosen, joinGroup } from '../learning/join-group.ts';
import { pointsOf } from '../research/points.ts';

/**
 * Fixes who proposes and what the proposal is made from, once, under the research's lock: of two proposals at once the second
 * sees the first one's choice. A repeated call returns what was chosen first.
 */
export const beginProposal = (store: Store, { trial, task }: { trial: Trial; task: Task }): Promise<Trial> =>
  store.withResearch(trial.researchId, async (tx, research) => {
    const stored = await tx.trial.loadTrial(trial.id);
    if (stored.parentId !== null && stored.proposer !== null) return stored;
    // Cancelled meanwhile: its place in a batch would never be filled.
    if (stored.status !== null) throw ApplicationFailure.retryable(`trial ${trial.id} has ended`, 'Settled');
    const { candidateId, reason } = learns(research.proposer)
      ? await joinGroup(tx, {
          research,
          trial: stored,
          task,
          choose: () => parentOf(tx, { research, trial: stored, task }),
        })
      : await parentOf(tx, { research, trial: stored, task });
    return tx.trial.beginProposal({
      trialId: trial.id,
      researchId: research.id,
      parentId: candidateId,
      parentReason: reason,
      proposer: research.proposer,
    });
  });

async function parentOf(
  tx: TxStore,
  { research, trial, task }: { research: Research; trial: Trial; task: Task },
): Promise<Chosen> {
  const { method, settings } = parentRuleOf(task.search.parent);
  const rule: ParentRule = method;
  const nodes = rule.reads === 'lineage' ? await tx.research.readLineage(research.id) : [];
  const random = createRandom(seedOf(`${proposesBy(trial)}/parent`));
  return rule.choose({ ...pointsOf(research), nodes }, { settings, random });
}
