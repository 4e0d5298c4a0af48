import { expect, test } from 'vitest';
import { describeRates, ratesOf } from '../../../view/rows/rates.ts';

const COUNTS = { answers: 8, bad: 2, duplicates: 1, failed: 2, limited: 1, repeated: 0, p50: 3.1, p95: 12 };

test('rates are shares of the answers, of 429 of the requests, and a claim costs its part of all', () => {
  const rates = ratesOf(COUNTS, { usd: 0.84, tokens: 4000, claims: 2 });
  expect(rates).toEqual({
    ...{ requests: 10, answers: 8, badRate: 0.25, duplicateRate: 0.125, limitedRate: 0.1 },
    ...{ latencySeconds: { p50: 3.1, p95: 12 }, perClaim: { usd: 0.42, tokens: 2000 } },
  });
  expect(rates && describeRates(rates)).toBe(
    '8 answers, 25 % bad, 12.5 % duplicates · 429: 10 % of 10 requests · latency p50 3.1 s, p95 12 s · 2000 tokens and $0.42 per claim',
  );
});

test('an endpoint that never answered has no rate of answers, and a research without a claim no price of one', () => {
  const none = { ...COUNTS, answers: 0, bad: 0, duplicates: 0, failed: 4, limited: 4, p50: null, p95: null };
  const rates = ratesOf(none, { usd: 0, tokens: 0, claims: 0 });
  expect(rates).toMatchObject({
    badRate: null,
    duplicateRate: null,
    limitedRate: 1,
    latencySeconds: null,
    perClaim: null,
  });
  expect(rates && describeRates(rates)).toBe('0 answers · 429: 100 % of 4 requests');
  expect(ratesOf({ ...none, failed: 0, limited: 0 })).toBe(null);
});
