import type { Operator } from './operator.ts';

/** One change, as small as its reason allows; also the operator of a proposer that names none. */
export const tweak: Operator = { request: (goal) => `Propose one change that ${goal}.` };
