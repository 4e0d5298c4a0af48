import { planIn } from '../../domain/search/update/table.ts';
import type { Task } from '../../domain/task/task.ts';
import { LARGEST_WINDOW } from '../../domain/window/largest.ts';

/** A policy that learns is asked for all samples of its batches at once, which its server draws together. */
export function windowFor({ search }: Task): 'auto' | number {
  const plan = planIn(search);
  return search.window === 'auto' && plan !== null
    ? Math.min(LARGEST_WINDOW, plan.batch * (1 + plan.staleness))
    : search.window;
}
