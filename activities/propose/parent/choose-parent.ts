import type { Research } from '../../../db/research/research.ts';
import type { TxStore } from '../../../db/store.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import { asSettings } from '../../../domain/method/axis.ts';
import type { ParentChoice, ParentRule } from '../../../domain/search/parent.ts';
import { parentRuleOf } from '../../../domain/search/parent/table.ts';
import { isWhole, NO_TREE } from '../../../domain/search/parent/tree.ts';
import { createRandom } from '../../../domain/statistics/random.ts';
import { hashToSeed } from '../../../domain/trial/seed.ts';
import { proposerSeedOf } from '../../../domain/trial/trial-seeds.ts';
import { searchPointsOf } from '../../research/search-points-of.ts';
import { fillTree } from './fill-tree.ts';

/** Nodes that a rule reads first if it states no number. */
const FIRST_REACH = 50;
/** Factor by which more nodes are read. */
const MORE = 4;

/**
 * The parent that a stored rule chooses for a trial. It reads more nodes until the rule can choose. The caller
 * holds the research's lock.
 */
export async function chooseParent(
  tx: TxStore,
  { research, trial, rule: stored }: { research: Research; trial: Trial; rule: unknown },
): Promise<ParentChoice> {
  const { method, settings } = parentRuleOf(stored);
  const rule: ParentRule = method;
  const points = searchPointsOf(research);
  const input = () => ({
    settings: asSettings(settings),
    random: createRandom(hashToSeed(`${proposerSeedOf(trial)}/parent`)),
  });
  const nodes = rule.reads === 'lineage' ? await fillTree(tx, research) : 0;
  for (let reach = rule.reach?.(asSettings(settings)) ?? FIRST_REACH; ; reach *= MORE) {
    const place = {
      researchId: research.id,
      original: points.original,
      nodes,
      reach,
      hasNiches: rule.niches !== undefined,
    };
    const tree = rule.reads === 'lineage' ? await tx.tree.readTree(place) : NO_TREE;
    const chosen = rule.choose({ ...points, tree }, input());
    if (chosen !== null) return chosen;
    if (isWhole(tree)) throw new Error('Expected the parent rule to choose from a whole tree, got no choice');
  }
}
