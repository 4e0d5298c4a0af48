import { expect } from 'vitest';
import { WINNER } from './lineage.ts';

const NEVER = { reachedAt: null, words: 'nothing was spent in the last 24 h' };
const AHEAD = {
  reachedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  words: expect.stringMatching(/^reached in .* at the pace of the last 24 h$/) as string,
};

const LATER = { reachedAt: null, words: 'not reached: the limit of hours comes first' };

/** The forecast in `status --json` of the story, whose trials ended long ago. */
export const FORECAST = [
  { limit: 'trials', spent: 3, of: 60, atEnd: 3, ...NEVER },
  { limit: 'proposals', spent: 3, of: 290, atEnd: 3, ...NEVER },
  { limit: 'hours', spent: 1.5, of: 8, atEnd: 8, ...AHEAD },
  { limit: 'usd', spent: 0.25, of: 5, atEnd: expect.any(Number) as number, ...LATER },
];

/** The rates of the story's only call. */
export const RATES = {
  requests: 1,
  answers: 1,
  badRate: 0,
  duplicateRate: 0,
  limitedRate: 0,
  latencySeconds: { p50: 2, p95: 2 },
  unpriced: 0,
  perClaim: { usd: 0.25, tokens: 120 },
};

/** The numbers of trials in `status --json` of the story. */
export const TRIALS = {
  started: 6,
  ended: 5,
  running: 1,
  cancelled: 0,
  byStatus: { completed: 4, aborted: 0, crashed: 1, timed_out: 0, diverged: 0, rejected: 0, cached: 0, lost: 0 },
};

/** The budget in `status --json` of the story. */
export const BUDGET = {
  trials: { spent: 3, limit: 60 },
  proposals: { spent: 3, limit: 290 },
  hours: { spent: 1.5, limit: 8 },
  hoursWithoutClaim: { spent: 1.5, limit: null },
  slotSeconds: { spent: 21, limit: null },
  tokens: { spent: 120, limit: null },
  usd: { spent: 0.25, limit: 5 },
  whenSpent: 'stop',
};

/** The best in `status --json` of the story. */
export const BEST = {
  trialId: 'toy/4',
  candidateId: WINNER,
  unmodified: false,
  trusted: true,
  value: expect.closeTo(1.5, 10) as number,
  failed: 0,
  basis: 'keep.policy: strict claims on one run',
};
