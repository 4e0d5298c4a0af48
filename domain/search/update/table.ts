import { type Chosen, methodOf, asSettings } from '../../method/axis.ts';
import type { UpdatePlan } from '../../learning/plan.ts';
import { learns } from '../proposer/makers.ts';
import type { UpdateMethod } from '../update.ts';
import { grpo } from './grpo.ts';
import { none } from './none.ts';
import { ppo } from './ppo.ts';
import { sdpo } from './sdpo.ts';

/** Every way of learning. A new one is its file and a line here. */
export const UPDATES = { none, grpo, ppo, sdpo } as const satisfies Record<string, UpdateMethod>;

/** A stored choice; throws UnknownMethod for one that this build does not have. */
export const updateOf = (stored: unknown): Chosen<typeof UPDATES> => methodOf('search.update', UPDATES, stored);

/** The plan of a stored choice; null where it learns nothing. Throws UnknownMethod for one that this build does not have. */
export function updatePlanOf(choice: unknown): UpdatePlan | null {
  const { method, settings } = updateOf(choice);
  const { plan }: UpdateMethod = method;
  return plan(asSettings(settings));
}

/** The plan in stored settings; null where nothing is learnt, since a person may have put a proposer in place that cannot. */
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
