import { type Chosen, methodOf } from '../axis.ts';
import type { UpdateMethod, UpdatePlan } from '../update.ts';
import { grpo } from './grpo.ts';
import { none } from './none.ts';
import { ppo } from './ppo.ts';
import { sdpo } from './sdpo.ts';

/** Every way of learning. A new one is its file and a line here. */
export const UPDATES = { none, grpo, ppo, sdpo } as const satisfies Record<string, UpdateMethod>;

/** A stored choice; throws UnknownMethod for one that this build does not have. */
export const updateOf = (stored: unknown): Chosen<typeof UPDATES> => methodOf('search.update', UPDATES, stored);

/** The plan in stored settings; null where nothing is learnt. */
export function planIn({ update = 'none' }: { update?: unknown }): UpdatePlan | null {
  const { method, settings } = updateOf(update);
  const { plan }: UpdateMethod = method;
  return plan(settings);
}
