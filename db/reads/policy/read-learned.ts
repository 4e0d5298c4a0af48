import { placeReferences } from '../../../domain/learning/statistics/references.ts';
import { rewardScaleOf } from '../../../domain/learning/statistics/reward-scale.ts';
import { comparedUpdates, type Learned } from '../../../view/policy/learned.ts';
import type { LearningRow } from '../../../view/policy/learning.ts';
import type { Tx } from '../../connect.ts';
import type { ResearchView } from '../read-research.ts';
import { readMeanRewards } from './read-mean-rewards.ts';

interface Input {
  research: Pick<ResearchView, 'id' | 'taskHash' | 'task' | 'gate'>;
  rows: readonly LearningRow[];
}

/** First and last draws of a policy, and the references on the scale of its rewards; null if no update has a reward. */
export async function readLearned(db: Tx, { research, rows }: Input): Promise<Learned | null> {
  const { id: researchId, taskHash, task, gate } = research;
  const compared = comparedUpdates(rows);
  if (compared === undefined) return null;
  const scale = rewardScaleOf({ search: task.search, gate });
  const parts = [compared.first, compared.last];
  const [first, last] = (await readMeanRewards(db, { researchId, taskHash, scale, parts })).map((reward, part) =>
    reward === undefined
      ? null
      : { from: Math.min(...(parts[part] ?? [])), to: Math.max(...(parts[part] ?? [])), reward },
  );
  if (!first) return null;
  return { first, last: last ?? null, references: placeReferences(task.references ?? [], scale) };
}
