import { updatePlanOf as planOfChoice } from '../../../../domain/search/update/table.ts';
import type { UpdatePlan } from '../../../../domain/learning/plan.ts';

/** The plan of a choice on the axis. */
export function planOf(update: unknown): UpdatePlan {
  const plan = planOfChoice(update);
  if (plan === null) throw new Error('expected a choice that learns');
  return plan;
}
