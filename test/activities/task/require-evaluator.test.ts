import { expect, test } from 'vitest';
import { requireEvaluatorModel } from '../../../activities/task/require-evaluator.ts';

const require = (
  llm: unknown,
  { usd, endpoint = null, sandbox = null }: { usd?: number; endpoint?: string | null; sandbox?: string | null } = {},
) =>
  requireEvaluatorModel(
    {
      gateway: { lacksAll: () => endpoint },
      models: { priceOf: (name) => (name === 'priced' ? 1 : null) },
      scoring: { evaluator: { lacksGateway: () => Promise.resolve(sandbox) } },
    },
    {
      task: { evaluator: { type: 'artefact', command: 'score', files: 'evaluator', timeoutSeconds: 9, llm } as never },
      usd,
    },
  );

test('an evaluator that can ask its model is accepted, and others need nothing', async () => {
  await require(true);
  await require({ calls: 1, tokens: 1, model: 'priced', usd: 1 }, { usd: 5 });
  await require(undefined, { endpoint: 'none', sandbox: 'none', usd: 5 });
  await require(false, { endpoint: 'none' });
});

test.each([
  ['no endpoint is set', true, { endpoint: 'set OPENAI_API_KEY' }, 'BadTask', 'evaluator.llm: set OPENAI_API_KEY'],
  ['it would share a network', true, { sandbox: 'expected a sandbox' }, 'NoSandbox', 'evaluator.llm: expected a sand'],
  ['its model has no price', { model: 'm' }, { usd: 5 }, 'BadTask', 'budget.usd: expected a price for m, which'],
  ['its limit has no price', { model: 'm', usd: 1 }, {}, 'BadTask', 'evaluator.llm.usd: expected a price for m, which'],
  ['its model is not named', true, { usd: 5 }, 'BadTask', "evaluator.llm.model: expected the name of the evaluator's"],
])('an evaluator that may ask a model is refused if %s', async (_, llm, options, type, words) => {
  const message = expect.stringContaining(words) as string;
  await expect(require(llm, options)).rejects.toMatchObject({ type, message });
});
