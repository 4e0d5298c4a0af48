import type { Operator } from '../operator.ts';

/** Values of knobs, in code that stays. */
export const knobsOnly: Operator = {
  changes: 'knobs',
  request: (goal) =>
    `Propose other values of the task's knobs that ${goal.replace(/^(\w+)s\b/, '$1')}. Change nothing else in the files.`,
};
