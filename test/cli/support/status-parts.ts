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

/** The rates of its one call. */
export const RATES = {
  ...{ requests: 1, answers: 1, badRate: 0, duplicateRate: 0, limitedRate: 0 },
  ...{ latencySeconds: { p50: 2, p95: 2 }, perClaim: { usd: 0.25, tokens: 120 } },
};

/** The best in `status --json` of the story. */
export const BEST = {
  ...{ trialId: 'toy/4', candidateId: WINNER, unmodified: false, trusted: true },
  value: expect.closeTo(1.5, 10) as number,
};
