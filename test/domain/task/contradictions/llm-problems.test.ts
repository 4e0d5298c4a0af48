import { describe, expect, test } from 'vitest';
import { llmProblems } from '../../../../domain/task/contradictions/llm-problems.ts';
import { pathText } from '../../../../domain/issue/problem.ts';
import { Task } from '../../../../domain/task/task.ts';
import { TASK } from '../../../cli/support/lineage.ts';

/** Problems of a body by the path of their key. */
function problemsOf(body: Record<string, unknown>): Record<string, string> {
  const task = Task.parse({ ...TASK, llm: { body } });
  return Object.fromEntries(llmProblems(task).map(({ path, got, todo }) => [pathText(path), `${got}; ${todo}`]));
}

describe('llm.body', () => {
  test.each([
    { reasoning_effort: 'high' },
    { chat_template_kwargs: { enable_thinking: false } },
    { thinking: { type: 'enabled', budget_tokens: 8000 } },
    { top_p: 0.9, seed: 7, stop: ['x'], logit_bias: { 50256: -100 }, user: 'me', provider: { order: ['a'] } },
    {
      response_format: { type: 'text' },
      service_tier: 'flex',
      metadata: { stream: 'a name' },
      extra_body: { top_k: 3 },
    },
  ])('may add keys to a request: %j', (body) => {
    expect(problemsOf(body)).toEqual({});
  });

  test.each([
    ['model', 'llm.model'],
    ['Model', 'llm.model'],
    ['temperature', 'llm.temperature'],
    ['messages', 'remove it'],
    ['n', 'remove it'],
    ['stream', 'remove it'],
    ['stream_options', 'remove it'],
    ['tools', 'remove it'],
    ['tool_choice', 'remove it'],
    ['toolConfig', 'remove it'],
    ['functions', 'remove it'],
  ])('has not %s, which Perpetua sets itself', (key, todo) => {
    expect(problemsOf({ [key]: 1 })[`llm.body.${key}`]).toContain(todo);
    expect(problemsOf({ extra_body: { [key]: 1 } })).toHaveProperty([`llm.body.extra_body.${key}`]);
  });

  test.each([
    'max_tokens',
    'max_completion_tokens',
    'maxOutputTokens',
    'max_output_tokens',
    'max-new-tokens',
    'maxTokens',
    'max_tokens_to_sample',
    'num_predict',
  ])('has no limit of tokens, in any spelling or depth: %s', (key) => {
    expect(problemsOf({ [key]: 1 })[`llm.body.${key}`]).toContain('set llm.maxTokens instead');
    expect(problemsOf({ generation_config: { [key]: 1 } })).toHaveProperty([`llm.body.generation_config.${key}`]);
  });

  test('has no limit of an answer by its length, but may have a schema with one', () => {
    const keys = Object.keys(problemsOf({ max_length: 1, max_gen_len: 1 }));
    expect(keys).toEqual(['llm.body.max_length', 'llm.body.max_gen_len']);
    expect(problemsOf({ response_format: { schema: { type: 'string', maxLength: 5 } } })).toEqual({});
  });

  test.each([
    'api_key',
    'apiKey',
    'Authorization',
    'access_token',
    'password',
    'client_secret',
    'extra_headers',
    'key',
  ])('has no credential, which is not shown: %s', (key) => {
    const problems = problemsOf({ [key]: 'sk-hidden', nested: [{ [key]: 'sk-hidden' }] });
    expect(Object.keys(problems)).toEqual([`llm.body.${key}`, `llm.body.nested[0].${key}`]);
    expect(JSON.stringify(problems)).not.toContain('sk-hidden');
  });

  test('has no number that JSON cannot carry', () => {
    expect(problemsOf({ top_p: Infinity })['llm.body.top_p']).toContain('correct or remove it');
  });
});
