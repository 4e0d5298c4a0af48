import type { Operator } from './operator.ts';

/** Values of knobs, in code that stays. */
export const knobsOnly: Operator = {
  changes: 'knobs',
  request: (goal) => {
    const goalOfSeveral = goal.replace(/^(\w+)s\b/, '$1');
    return `Propose other values of the task's knobs that ${goalOfSeveral}. Change nothing else in the files.`;
  },
};
