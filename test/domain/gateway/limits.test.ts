import { expect, test } from 'vitest';
import { mustWait, refuseCall } from '../../../domain/gateway/limits.ts';

const nothing = { calls: 0, failed: 0, tokens: 0, usd: 0 };
const free = {
  role: 'proposer' as const,
  hasEnded: false,
  model: 'm',
  isPriced: false,
  limits: {},
  spent: nothing,
  budget: {},
  researchSpent: nothing,
};

test('a call is sent as long as no limit is spent', () => {
  expect(refuseCall({ ...free, spent: { calls: 1000, failed: 1000, tokens: 1e9, usd: 99 } })).toBeNull();
  const limits = { calls: 2, tokens: 10, usd: 1 };
  expect(
    refuseCall({ ...free, isPriced: true, limits, spent: { calls: 1, failed: 1, tokens: 9, usd: 0.99 } }),
  ).toBeNull();
  expect(refuseCall({ ...free, limits: { calls: 2, failures: 4 }, spent: { ...nothing, failed: 3 } })).toBeNull();
});

test.each([
  [{ hasEnded: true }, 'the trial has its outcome: no further call is sent for it'],
  [{ limits: { calls: 2 }, spent: { ...nothing, calls: 2 } }, 'is spent: 2 of 2 calls'],
  [{ limits: { calls: 2 }, spent: { ...nothing, calls: 1, failed: 2 } }, 'is spent: 2 requests failed'],
  [{ limits: { calls: 2, failures: 4 }, spent: { ...nothing, failed: 4 } }, 'is spent: 4 requests failed'],
  [{ limits: { tokens: 10 }, spent: { ...nothing, tokens: 12 } }, 'is spent: 12 of 10 tokens'],
  [{ limits: { usd: 0.5 }, spent: { ...nothing, usd: 0.5 } }, 'is spent: 0.5 of 0.5 USD'],
  [{ budget: { tokens: 10 }, researchSpent: { tokens: 11, usd: 0 } }, 'budget.tokens is 11 of 10'],
  [{ budget: { usd: 1 }, isPriced: true, researchSpent: { tokens: 0, usd: 1.00049 } }, 'budget.usd is 1 of 1'],
  [{ budget: { usd: 1 } }, 'budget.usd: expected a price for m, found none; set PERPETUA_PRICES, for example {"m"'],
  [{ limits: { usd: 1 } }, 'the limit in USD: expected a price for m, found none; set PERPETUA_PRICES'],
  [{ limits: { usd: 1 }, model: null }, 'expected a request that names its model'],
])('a call is refused with the reason: %j', (facts, words) => {
  expect(refuseCall({ ...free, ...facts })).toContain(words);
});

test("an evaluator's limit is that of its scoring", () => {
  const spent = { ...nothing, calls: 2 };
  expect(refuseCall({ ...free, role: 'evaluator', limits: { calls: 2 }, spent })).toBe(
    "the limit of this scoring's model calls is spent: 2 of 2 calls",
  );
});

test('a spent budget of the research refuses no call of an evaluator: runs under way finish', () => {
  const spent = { ...free, isPriced: true, budget: { tokens: 10, usd: 1 }, researchSpent: { tokens: 11, usd: 2 } };
  expect(refuseCall(spent)).toContain('the budget of the research is spent');
  expect(refuseCall({ ...spent, role: 'evaluator' })).toBeNull();
  expect(refuseCall({ ...spent, role: 'evaluator', isPriced: false })).toContain('expected a price for m');
});

test.each([
  [{ limits: { usd: 1 } }, true, true],
  [{ limits: { tokens: 1 } }, true, true],
  [{ budget: { usd: 1 } }, true, false],
  [{ budget: { tokens: 1 } }, true, false],
  [{ limits: { calls: 1 } }, false, false],
])('calls wait for others by what is limited: %j', (limited, agentWaits, graderWaits) => {
  const facts = { limits: {}, budget: {}, ...limited };
  expect([3, 4].map((underWay) => mustWait({ ...facts, role: 'proposer' }, underWay))).toEqual([false, agentWaits]);
  expect([15, 16].map((underWay) => mustWait({ ...facts, role: 'evaluator' }, underWay))).toEqual([false, graderWaits]);
});
