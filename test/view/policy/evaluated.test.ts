import { expect, test } from 'vitest';
import { describeEvaluated } from '../../../view/policy/evaluated.ts';

const value = { n: 62, mean: 0.312, sd: 0.21, low: 0.259, high: 0.365 };
const readable = { n: 64, share: 62 / 64, low: 0.89, high: 0.99 };

test('a held-out value has its interval, its runs, the share of readable answers and its origin', () => {
  const found = { source: 'apart' as const, ended: 64, lost: 0, readable, value };
  expect(describeEvaluated(found)).toBe(
    '0.31 [0.26, 0.36] over 62 scored runs, 97 % of 64 answers readable (policy eval)',
  );
  expect(describeEvaluated({ ...found, source: 'within', value: { ...value, n: 1, low: null, high: null } })).toBe(
    '0.31 over 1 scored run, 97 % of 64 answers readable (search.update.eval)',
  );
});

test('an evaluation without a scored run has no value', () => {
  const none = { n: 0, mean: null, sd: null, low: null, high: null };
  const lost = { source: 'within' as const, ended: 2, lost: 2, readable: { n: 0, share: null, low: 0, high: 1 } };
  expect(describeEvaluated({ ...lost, value: none })).toBe('no value (search.update.eval)');
});
