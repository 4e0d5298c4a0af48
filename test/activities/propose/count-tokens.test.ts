import { expect, test } from 'vitest';
import { countTokens } from '../../../activities/propose/ask-model.ts';
import type { Research } from '../../../db/research/research.ts';
import type { LlmAnswer, LlmRequest } from '../../../infra/llm.ts';
import { TASK } from '../../cli/support/lineage.ts';

const request = { messages: [{ role: 'user', content: 'abcdef' }] } as unknown as LlmRequest;
const silent = { text: 'abc', tokensIn: null, tokensOut: null } as unknown as LlmAnswer;
const count = (budget: Partial<Research['budget']>, answer = silent) =>
  countTokens({ budget: { ...TASK.budget, ...budget } }, { request, answer });

test('an endpoint that tells no usage is estimated where tokens or money are limited', () => {
  expect(count({ tokens: 10 })).toEqual({ tokensIn: 2, tokensOut: 1, estimated: true });
  expect(count({ usd: 1 }, { ...silent, tokensIn: 7 })).toEqual({ tokensIn: 7, tokensOut: 1, estimated: true });
});

test('nothing is estimated where the endpoint tells, or where no budget asks', () => {
  expect(count({})).toEqual({ tokensIn: null, tokensOut: null, estimated: false });
  const told = { tokensIn: 5, tokensOut: 0 };
  expect(count({ tokens: 10 }, { ...silent, ...told })).toEqual({ ...told, estimated: false });
});
