import type { Planned } from '../../domain/attack/plan.ts';
import { KEEP_OF_CHECKS } from '../../domain/search/keep.ts';
import type { Task } from '../../domain/task/task.ts';
import { formatSeconds } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';

/** What attacks will take on slots, in words: most end at once, and none runs longer than a run may. */
export function costsOf(plan: readonly Planned[], { run }: Task): string {
  const fitting = plan.flatMap((planned) => (planned.fits ? [planned] : []));
  const { baselineRuns } = KEEP_OF_CHECKS.attack;
  const runs = baselineRuns + fitting.reduce((sum, { candidates }) => sum + candidates.length, 0);
  const most = run.timeoutSeconds ?? 2 * run.budget.seconds + 30;
  return (
    `${plural(fitting.length, 'attack')} of ${plan.length} in ${plural(runs, 'run')}, ${baselineRuns} of them of the unmodified workspace: ` +
    `about ${formatSeconds(runs * run.budget.seconds)} on slots by run.budget, never more than ${formatSeconds(runs * most)} by the limit of time ` +
    `(and up to 12 runs more for each score that looks better than it should)`
  );
}
