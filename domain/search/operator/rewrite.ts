import type { Operator } from './operator.ts';

/** Another approach, in place of a step from the present one. Sources: `full` of ShinkaEvolve and OpenEvolve. */
export const rewrite: Operator = {
  request: (goal) =>
    'Write the program anew with another approach than the one shown, not a variation of it: another algorithm, ' +
    `another structure or another method that ${goal}. Keep what a run has to leave, and give whole files.`,
};
