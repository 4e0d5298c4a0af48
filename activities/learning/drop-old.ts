import { log } from '@temporalio/activity';
import { droppable } from '../../domain/learning/weights/droppable.ts';
import type { UpdatePlan } from '../../domain/search/update.ts';
import type { ActivityDeps } from '../deps.ts';

/**
 * Removes the weights of versions that are old: first from the research, under its lock, so that nobody begins to use them, then
 * from the disk. What a dead worker has left of that is removed with the next ones.
 */
export async function dropOld(
  deps: Pick<ActivityDeps, 'store' | 'policy' | 'reach'>,
  researchId: string,
  { keep, group }: Pick<UpdatePlan, 'keep' | 'group'>,
): Promise<void> {
  await deps.store.withResearch(researchId, async (tx) => {
    const { versions, inUse } = await tx.learning.readKept({ researchId, group });
    await tx.learning.markRemoved({ researchId, ks: droppable(versions, { keep, inUse }) });
  });
  deps.reach('weights-dropped');
  const { checkpoints } = deps.policy;
  for (const stepKey of await deps.store.learning.findRemoved(await checkpoints.list()))
    try {
      await checkpoints.remove(stepKey);
    } catch (error) {
      // The learning goes on; the next update tries it again.
      log.warn('a checkpoint could not be removed', { researchId, stepKey, error: String(error) });
    }
}
