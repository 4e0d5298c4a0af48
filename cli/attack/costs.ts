import type { Planned } from '../../domain/attack/plan-attacks.ts';
import { KEEP_OF_CHECKS } from '../../domain/search/keep.ts';
import { evaluatorLlmOf } from '../../domain/schema/evaluator.ts';
import type { Task } from '../../domain/task/task.ts';
import { timeLimitOf } from '../../domain/job/time-limit.ts';
import { formatSeconds } from '../../domain/text/format.ts';
import { describeEvaluatorLimits } from '../../view/trial/evaluator-model.ts';
import { plural } from '../../domain/text/plural.ts';

/** Cost of a plan of attacks in words: number of runs, slot time by run.budget, and most slot time by the limit. */
export function costsOf(plan: readonly Planned[], task: Task): string {
  const fitting = plan.flatMap((planned) => (planned.fits ? [planned] : []));
  const { baselineRuns } = KEEP_OF_CHECKS.attack;
  const runs = baselineRuns + fitting.reduce((sum, { candidates }) => sum + candidates.length, 0);
  const llm = evaluatorLlmOf(task.evaluator);
  const limitSeconds = timeLimitOf(task);
  return (
    `${plural(fitting.length, 'attack')} of ${plan.length} in ${plural(runs, 'run')}, ` +
    `${baselineRuns} of them of the unmodified workspace: ` +
    `about ${formatSeconds(runs * task.run.budget.seconds)} on slots by run.budget, ` +
    `at most ${formatSeconds(runs * limitSeconds)} by the time limit; ` +
    `each score that looks too good needs up to 12 more runs` +
    (llm === null ? '' : `; for each run the evaluator ${describeEvaluatorLimits(llm)}`)
  );
}
