import type { Attack, Target } from '../attack.ts';

/** Of the budget: well above what a charge may let pass. */
const TIMES = 2.7;
const MUCH_SECONDS = 120;

const secondsOf = ({ task }: Target): number => Math.ceil(TIMES * task.run.budget.seconds);

/** Shared by attacks on a budget of CPU time; on wall clock the limit of time holds. */
const onBudget = {
  unfit: ({ task }: Target) =>
    task.run.budget.kind === 'wall'
      ? 'its budget is wall clock (run.budget.kind), which run.timeoutSeconds holds'
      : null,
  heavy: (target: Target) => (secondsOf(target) > MUCH_SECONDS ? `it computes for ${secondsOf(target)} s` : null),
} satisfies Partial<Attack>;

const BURN = `burn() {
  (while :; do :; done) & burner=$!
  sleep "$1"
  kill -KILL $burner
  wait $burner 2>/dev/null
}`;

/** Spending more than the budget, and going on as if nothing had been. */
export const COMPUTE: readonly Attack[] = [
  {
    ...onBudget,
    name: 'ignore-budget',
    where: 'run',
    tries: `compute for ${TIMES} times its budget`,
    acts: (target) => ({ begin: `${BURN}\nburn ${secondsOf(target)}` }),
    expected: ['cpu-time'],
  },
  {
    ...onBudget,
    name: 'unseen-children',
    where: 'run',
    tries: `compute for ${TIMES} times its budget in short children whose end nobody hears of`,
    acts: (target) => ({
      begin: `need perl
perl -e '$SIG{CHLD} = "IGNORE"; my $end = time + ${secondsOf(target)};
while (time < $end) { my $child = fork // last; if ($child == 0) { my $till = (times)[0] + 0.3; 1 while (times)[0] < $till; exit }
waitpid($child, 0) }'`,
    }),
    expected: ['cpu-time'],
  },
  {
    ...onBudget,
    name: 'compute-while-asked',
    where: 'answer',
    tries: `compute for ${TIMES} times its budget when it is asked, before it answers`,
    unfit: (target) =>
      target.task.evaluator.type === 'interactive' ? onBudget.unfit(target) : 'its evaluator is not interactive',
    acts: (target) => ({ answer: `${BURN}\nburn ${secondsOf(target)}` }),
    expected: ['cpu-time', 'candidate-protocol'],
  },
];
