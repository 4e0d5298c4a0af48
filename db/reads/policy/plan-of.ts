import { updatePlanIn } from '../../../domain/search/update/table.ts';
import { UnknownMethod } from '../../../domain/method/unknown-method.ts';
import type { UpdatePlan } from '../../../domain/learning/plan.ts';
import type { ResearchView } from '../read-research.ts';

/** Plan by which a research learns; null if it does not learn, or if this version does not know the method. */
export function planOf({ task }: Pick<ResearchView, 'task'>): UpdatePlan | null {
  try {
    return updatePlanIn(task.search);
  } catch (error) {
    if (error instanceof UnknownMethod) return null;
    throw error;
  }
}
