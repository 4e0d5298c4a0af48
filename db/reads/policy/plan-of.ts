import { updatePlanIn } from '../../../domain/search/update/table.ts';
import { UnknownMethod } from '../../../domain/method/unknown-method.ts';
import type { UpdatePlan } from '../../../domain/learning/plan.ts';
import type { ResearchView } from '../read-research.ts';

/** The plan by which a research learns; null where it does not, and for a method that this version does not know. */
export function planOf({ task }: Pick<ResearchView, 'task'>): UpdatePlan | null {
  try {
    return updatePlanIn(task.search);
  } catch (error) {
    if (error instanceof UnknownMethod) return null;
    throw error;
  }
}
