import { type Chosen, methodOf, asSettings } from '../../method/axis.ts';
import type { UpdatePlan } from '../../learning/plan.ts';
import { learns } from '../proposer/makers.ts';
import type { UpdateMethod } from '../update.ts';
import { grpo } from './grpo.ts';
import { none } from './none.ts';
import { ppo } from './ppo.ts';
import { sdpo } from './sdpo.ts';

/** Every learning method. A new one needs a file and a line here. */
export const UPDATES = { none, grpo, ppo, sdpo } as const satisfies Record<string, UpdateMethod>;

/** Looks up a stored learning method. Throws UnknownMethod for a method that this build does not have. */
export const updateOf = (stored: unknown): Chosen<typeof UPDATES> => methodOf('search.update', UPDATES, stored);

/** The plan of a stored learning method; null for `none`. Throws as `updateOf` does. */
export function updatePlanOf(choice: unknown): UpdatePlan | null {
  const { method, settings } = updateOf(choice);
  const { plan }: UpdateMethod = method;
  return plan(asSettings(settings));
}

/**
 * The plan of stored settings; null if the research does not learn. Also null if a person has replaced the task's
 * proposer by one that cannot learn.
 */
export function updatePlanIn({
  update = 'none',
  proposer,
}: {
  update?: unknown;
  proposer?: unknown;
}): UpdatePlan | null {
  const plan = updatePlanOf(update);
  return learns(proposer) ? plan : null;
}
