import { expect, test } from 'vitest';
import { priceOf } from '../../../infra/llm.ts';

const prices = { small: { input: 0.15, output: 0.6 }, free: { input: 0, output: 0 } };

test('a call costs its tokens in and out by the price per million', () => {
  expect(priceOf({ model: 'small', tokensIn: 2_000_000, tokensOut: 500_000 }, prices)).toBeCloseTo(0.6, 12);
});

test('a model that is free costs 0', () => {
  expect(priceOf({ model: 'free', tokensIn: 10, tokensOut: 10 }, prices)).toBe(0);
});

test.each([
  ['a model without a price', { model: 'other', tokensIn: 1, tokensOut: 1 }],
  ['a model named like a property of every object', { model: 'constructor', tokensIn: 1, tokensOut: 1 }],
  ['an unknown count in', { model: 'small', tokensIn: null, tokensOut: 1 }],
  ['an unknown count out', { model: 'small', tokensIn: 1, tokensOut: null }],
])('%s has an unknown cost, not none', (_name, use) => {
  expect(priceOf(use, prices)).toBeNull();
});
