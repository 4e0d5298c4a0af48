import { expect, test } from 'vitest';
import { countTokens } from '../../../activities/propose/count-tokens.ts';
import type { Research } from '../../../db/queries/research.ts';
import type { LlmAnswer, LlmRequest } from '../../../infra/llm.ts';
import { readAlerts } from '../../../db/reads/read-alerts.ts';
import { insertResearch, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/queries/support.ts';

const bench = useDatabase();

const request = { messages: [{ role: 'user', content: 'abcdef' }] } as unknown as LlmRequest;
const silent = { text: 'abc', tokensIn: null, tokensOut: null } as unknown as LlmAnswer;
const count = (id: string, budget: Partial<Research['budget']>, answer = silent) =>
  countTokens({ store: bench.store }, { id, budget: { ...TASK.budget, ...budget } }, { request, answer });

test('an endpoint that tells no usage is estimated where tokens or money are limited, which is said once', async () => {
  await insertResearch(bench.db, 'limited');
  expect(await count('limited', { tokens: 10 })).toEqual({ tokensIn: 2, tokensOut: 1 });
  expect(await count('limited', { usd: 1 }, { ...silent, tokensIn: 7 })).toEqual({ tokensIn: 7, tokensOut: 1 });
  const alerts = await readAlerts(bench.db, { researchId: 'limited', limit: 10 });
  expect(alerts).toHaveLength(1);
  expect(JSON.stringify(alerts)).toMatch(/sends no usage/);
});

test('nothing is estimated where the endpoint tells, or where no budget asks', async () => {
  await insertResearch(bench.db, 'free');
  expect(await count('free', {})).toEqual({ tokensIn: null, tokensOut: null });
  expect(await count('free', { tokens: 10 }, { ...silent, tokensIn: 5, tokensOut: 0 })).toEqual({
    tokensIn: 5,
    tokensOut: 0,
  });
  expect(await readAlerts(bench.db, { researchId: 'free', limit: 10 })).toEqual([]);
});
