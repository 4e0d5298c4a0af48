import type { Operator } from './operator.ts';

/** Less code for the same result. */
export const simplify: Operator = {
  request: (goal) =>
    'Make the program simpler: remove what does not help, and merge what is done twice. The metric must not get ' +
    `worse; a change that also ${goal} is better.`,
};
