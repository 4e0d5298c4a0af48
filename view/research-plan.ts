import { defaultBaselineRuns } from '../domain/gate/default-baseline-runs.ts';
import { describeGate } from '../domain/learning/gates/gate.ts';
import { KEEPS } from '../domain/search/keep.ts';
import { idleCacheText } from '../domain/search/known/reuse.ts';
import { updatePlanIn } from '../domain/search/update/table.ts';
import type { Task } from '../domain/task/task.ts';
import { formatSeconds } from '../domain/text/format.ts';
import { plural } from '../domain/text/plural.ts';

interface PlanInput {
  task: Pick<Task, 'keep' | 'run' | 'search' | 'budget' | 'environment' | 'evaluator'>;
  /** Limit of trials that this start gives; null: the task's. */
  budgetTrials: number | null;
  /** Slots of the task's pool; 0: unknown. */
  slots: number;
}

/** Runs of the unmodified version before the first verdict, and their number if two of them have equal values. */
function baselineRunsOf({ keep }: Pick<Task, 'keep'>, trials: number | null): { runs: number; ifTied: number } {
  if (keep.baselineRuns !== undefined) {
    const runs = Math.max(KEEPS[keep.policy].leastAsked, keep.baselineRuns);
    return { runs, ifTied: runs };
  }
  const { baselineRuns: runs, baselineRunsIfTied: ifTied = runs } = defaultBaselineRuns(
    keep.policy,
    trials ?? undefined,
  );
  return { runs, ifTied };
}

/** The plan of a new research in lines: the time until its first verdict, and the time of its trials. */
export function researchPlan({ task, budgetTrials, slots }: PlanInput): string[] {
  const { run, search, budget } = task;
  const trials = budgetTrials ?? budget.trials ?? null;
  const window = typeof search.window === 'number' ? search.window : Infinity;
  const atOnce = Math.max(1, Math.min(slots, window));
  const time = (runs: number): string => formatSeconds(Math.ceil(runs / atOnce) * run.budget.seconds);
  const { runs, ifTied } = baselineRunsOf(task, trials);
  const counts = budget.counts.includes('baseline') ? 'they count' : 'they do not count';
  const where = slots === 0 ? 'one at a time, since no slot is known yet' : `${atOnce} at once`;
  const first =
    `first verdict after ${plural(runs, 'run')} of the unmodified version, about ${time(runs)} ` +
    `(${formatSeconds(run.budget.seconds)} each, ${where}); ${counts} in --budget-trials`;
  const tied =
    ifTied === runs
      ? []
      : [
          `${runs} runs, since the budget has fewer than 40 trials: a quarter of them, at least 3; ` +
            `${ifTied} runs if two of them have equal values`,
        ];
  const rest =
    trials === null
      ? 'no limit of trials: it searches until you stop it; --budget-trials sets one'
      : `${plural(trials, 'trial')} then ${trials === 1 ? 'takes' : 'take'} about ${time(trials)}, ` +
        'without proposals, scoring and runs that confirm';
  const cache = idleCacheText(task);
  return [first, ...tied, rest, ...learningPlan(search), ...(cache === null ? [] : [cache])];
}

/** The rules that a new research leaves out of its learning, in lines. */
function learningPlan(search: Task['search']): string[] {
  const { gatesLeftOut = [] } = updatePlanIn(search) ?? {};
  if (gatesLeftOut.length === 0) return [];
  const names = gatesLeftOut.map(describeGate).join(', ');
  return [`the policy stays as it is (search.update.lr is 0); gates that adjust lr are left out: ${names}`];
}
