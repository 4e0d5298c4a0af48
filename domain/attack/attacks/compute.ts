import type { Attack, Target } from '../attack.ts';

/** Multiple of the budget above the accepted charge, which is three times until a run of the original was scored. */
const TIMES = 4;
const MUCH_SECONDS = 120;

const secondsOf = ({ task }: Target): number => Math.ceil(TIMES * task.run.budget.seconds);

/** Shared by attacks on a budget of CPU time. The time limit enforces a budget of wall clock. */
const onBudget = {
  unfit: ({ task }: Target) =>
    task.run.budget.kind === 'wall'
      ? 'its budget is wall clock (run.budget.kind), which run.timeoutSeconds holds'
      : null,
  heavy: (target: Target) => (secondsOf(target) > MUCH_SECONDS ? `it computes for ${secondsOf(target)} s` : null),
} satisfies Partial<Attack>;

/** A busy loop that the kernel ends after these CPU seconds, however busy the machine is. */
const burn = (target: Target): string => `(ulimit -t ${secondsOf(target)}; while :; do :; done) 2>/dev/null || :`;

/** CPU seconds of each of the many children. */
const CHILD_SECONDS = 0.3;

/** Attacks that spend more than the budget and go on as if nothing had happened. */
export const COMPUTE: readonly Attack[] = [
  {
    ...onBudget,
    name: 'ignore-budget',
    where: 'run',
    tries: `compute for ${TIMES} times its budget`,
    acts: (target) => ({ begin: burn(target) }),
    expected: ['cpu-time'],
  },
  {
    ...onBudget,
    name: 'unseen-children',
    where: 'run',
    tries: `compute for ${TIMES} times its budget in many short child processes that nobody waits for`,
    acts: (target) => ({
      begin: `need perl
perl -e '$SIG{CHLD} = "IGNORE";
for (1 .. ${Math.ceil(secondsOf(target) / CHILD_SECONDS)}) {
  my $child = fork // last;
  if ($child == 0) { 1 while (times)[0] < ${CHILD_SECONDS}; exit }
  waitpid($child, 0);
}'`,
    }),
    expected: ['cpu-time'],
  },
  {
    ...onBudget,
    name: 'compute-while-asked',
    where: 'answer',
    tries: `compute for ${TIMES} times its budget before it answers`,
    unfit: (target) =>
      target.task.evaluator.type === 'interactive' ? onBudget.unfit(target) : 'its evaluator is not interactive',
    acts: (target) => ({ answer: burn(target) }),
    expected: ['cpu-time', 'candidate-protocol'],
  },
];
