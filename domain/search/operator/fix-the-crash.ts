import type { Operator } from './operator.ts';

/** A repair of a candidate that failed, so that its idea gets a score. */
export const fixTheCrash: Operator = {
  startsFrom: 'crashed',
  request: () =>
    'The files are those of a candidate that failed; its log is shown. Find the cause, and repair it with the ' +
    'smallest change that keeps the idea of the candidate.',
};
