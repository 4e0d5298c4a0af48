import type { Operator } from './operator.ts';

/** Combines what is good in two candidates. Source: `cross` of ShinkaEvolve (arXiv 2509.19349). */
export const crossover: Operator = {
  startsFrom: 'two-parents',
  request: (goal) =>
    'Two candidates are shown: the files, and the second parent. Change the files so that they combine what makes ' +
    `each of the two good, in a way that ${goal}.`,
};
