import { describe, expect, test } from 'vitest';
import type { LlmRequest } from '../../../../infra/llm.ts';
import { ANTHROPIC } from '../../../../infra/llm/providers/anthropic.ts';
import { GEMINI } from '../../../../infra/llm/providers/gemini.ts';
import { PROPOSE_TOOL } from '../../../../domain/edit/tools/propose-tool.ts';
import { isCutOff, isFiltered } from '../../../../domain/edit/answer/finish-reason.ts';
import { ask, fail, KEY, startEndpoint } from '../support.ts';

const MESSAGES: LlmRequest['messages'] = [
  { role: 'system', content: 'You improve.' },
  { role: 'user', content: 'Improve this.' },
  { role: 'assistant', content: 'no' },
  { role: 'user', content: 'Again.' },
];

const TOOLS = { tools: [PROPOSE_TOOL] };

const anthropicAnswer = (more: object = {}): object => ({
  type: 'message',
  role: 'assistant',
  model: 'claude-x-1',
  content: [
    { type: 'thinking', thinking: 'hidden', signature: 's' },
    { type: 'text', text: 'an ' },
    { type: 'text', text: 'answer' },
  ],
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, cache_read_input_tokens: 5, cache_creation_input_tokens: 2, output_tokens: 7 },
  ...more,
});

const geminiAnswer = (candidate: object = {}): object => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'hidden', thought: true }, { text: 'an ' }, { text: 'answer' }] },
      finishReason: 'STOP',
      ...candidate,
    },
  ],
  modelVersion: 'gemini-x-1',
  usageMetadata: {
    promptTokenCount: 17,
    candidatesTokenCount: 4,
    thoughtsTokenCount: 3,
    cachedContentTokenCount: 5,
    totalTokenCount: 24,
  },
});

const status = (code: number, body: object | string, headers: Record<string, string> = {}) =>
  ({ kind: 'status', status: code, body, headers }) as const;

describe('a model of Anthropic', () => {
  const wire = ANTHROPIC;
  const error = (type: string, message: string): object => ({ type: 'error', error: { type, message } });

  test('gets the prompt in its own form, with its own key', async () => {
    const { url, requests } = await startEndpoint(status(200, anthropicAnswer()));
    const body = { thinking: { type: 'enabled', budget_tokens: 1024 } };
    const answer = await ask(url, { wire, request: { messages: MESSAGES, body } });
    expect(requests[0]?.path).toBe('/v1/messages');
    expect(requests[0]?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' });
    expect(requests[0]?.headers.authorization).toBeUndefined();
    expect(requests[0]?.body).toEqual({
      model: 'some-model',
      max_tokens: 100,
      temperature: 0.7,
      thinking: body.thinking,
      system: 'You improve.',
      messages: MESSAGES.slice(1),
    });
    expect(answer).toMatchObject({
      text: 'an answer',
      finishReason: 'end_turn',
      refusal: null,
      model: 'claude-x-1',
      tokensIn: 17,
      tokensOut: 7,
      tokensCached: 5,
    });
  });

  test('calls a tool by its schema, and the call comes back', async () => {
    const input = { hypothesis: 'ü', edits: [{ action: 'delete', path: 'a' }] };
    const content = [
      { type: 'thinking', thinking: 'hidden', signature: 's' },
      { type: 'text', text: 'I call.' },
      { type: 'tool_use', id: 'toolu_1', name: 'propose', input },
    ];
    const { url, requests } = await startEndpoint(status(200, anthropicAnswer({ content, stop_reason: 'tool_use' })));
    const answer = await ask(url, { wire, request: TOOLS });
    expect(requests[0]?.body).toMatchObject({
      tools: [{ name: 'propose', input_schema: { type: 'object', required: ['hypothesis', 'edits'] } }],
      tool_choice: { type: 'tool', name: 'propose' },
    });
    expect(answer).toMatchObject({ text: 'I call.', finishReason: 'tool_use' });
    expect(answer.toolCalls).toEqual([{ name: 'propose', arguments: JSON.stringify(input) }]);
  });

  test('that thinks gets its tools without the choice of one, and one that takes none says so', async () => {
    const thinks = 'Thinking may not be enabled when tool_choice forces tool use.';
    const endpoint = await startEndpoint([
      status(400, error('invalid_request_error', thinks)),
      status(200, anthropicAnswer()),
    ]);
    const thinking = { thinking: { type: 'enabled', budget_tokens: 1024 } };
    expect((await ask(endpoint.url, { wire, request: { ...TOOLS, body: thinking } })).toolCalls).toBeUndefined();
    expect(
      endpoint.requests.map(({ body }) => [Object.hasOwn(body, 'tools'), Object.hasOwn(body, 'tool_choice')]),
    ).toEqual([
      [true, true],
      [true, false],
    ]);
    endpoint.setScript(status(400, error('invalid_request_error', 'tools: this model does not support tool use')));
    expect(await fail(endpoint.url, { wire, request: TOOLS })).toMatchObject({ refused: 'tools' });
  });

  test('ends at its limit of tokens, or refuses, in words that the loop reads', async () => {
    const endpoint = await startEndpoint(status(200, anthropicAnswer({ stop_reason: 'max_tokens' })));
    expect(isCutOff((await ask(endpoint.url, { wire })).finishReason)).toBe(true);
    endpoint.setScript(status(200, anthropicAnswer({ stop_reason: 'refusal', content: [] })));
    const refused = await ask(endpoint.url, { wire });
    expect([refused.text, isFiltered(refused.finishReason)]).toEqual(['', true]);
  });

  test.each([
    [401, error('authentication_error', 'invalid x-api-key'), 'refused', 401, /check ANTHROPIC_API_KEY/],
    [404, error('not_found_error', 'model: x'), 'refused', 404, /check ANTHROPIC_BASE_URL and the name/],
    [529, error('overloaded_error', 'Overloaded'), 'down', 529, /answered 529 \(this may be temporary: wait\): Overl/],
    [
      400,
      error('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
      'refused',
      402,
      /check the credit of the account/,
    ],
  ])('that answers %i is an error of its kind, without the key', async (code, body, kind, meant, message) => {
    const { url } = await startEndpoint(status(code, body));
    const failed = await fail(url, { wire });
    expect(failed).toMatchObject({ kind, status: meant, message: expect.stringMatching(message) as string });
    expect(failed.message).not.toContain(KEY);
  });

  test('that asks to wait is down for that time; a prompt that is too long is shortened', async () => {
    const limited = status(429, error('rate_limit_error', 'too many'), { 'retry-after': '7' });
    const endpoint = await startEndpoint(limited);
    expect(await fail(endpoint.url, { wire })).toMatchObject({ kind: 'down', status: 429, retryAfterSeconds: 7 });
    endpoint.setScript(
      status(400, error('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')),
    );
    expect(await fail(endpoint.url, { wire })).toMatchObject({ kind: 'refused', refused: 'length' });
  });

  test('gets another form of a request that it refuses, and no form twice', async () => {
    const tooMany = 'max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for x';
    const endpoint = await startEndpoint([
      status(400, error('invalid_request_error', tooMany)),
      status(200, anthropicAnswer()),
    ]);
    await ask(endpoint.url, { wire, request: { maxTokens: 100_000 } });
    expect(endpoint.requests.map(({ body }) => body.max_tokens)).toEqual([100_000, 8192]);
    endpoint.setScript(status(400, error('invalid_request_error', 'streaming is required for this request')));
    await fail(endpoint.url, { wire });
    expect(endpoint.requests).toHaveLength(3);
  });
});

describe('a model of Gemini', () => {
  const wire = GEMINI;
  const error = (code: number, message: string, more: object = {}): object => ({ error: { code, message, ...more } });

  test('gets the prompt in its own form, with its own key', async () => {
    const { url, requests } = await startEndpoint(status(200, geminiAnswer()));
    const body = { generationConfig: { thinkingConfig: { thinkingBudget: 64 } }, safetySettings: [] };
    const answer = await ask(url.replace(/\/v1$/, '/v1beta'), { wire, request: { messages: MESSAGES, body } });
    expect(requests[0]?.path).toBe('/v1beta/models/some-model:generateContent');
    expect(requests[0]?.headers).toMatchObject({ 'x-goog-api-key': KEY });
    expect(requests[0]?.body).toEqual({
      safetySettings: [],
      systemInstruction: { parts: [{ text: 'You improve.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Improve this.' }] },
        { role: 'model', parts: [{ text: 'no' }] },
        { role: 'user', parts: [{ text: 'Again.' }] },
      ],
      generationConfig: { thinkingConfig: { thinkingBudget: 64 }, maxOutputTokens: 100, temperature: 0.7 },
    });
    expect(answer).toMatchObject({
      text: 'an answer',
      finishReason: 'STOP',
      refusal: null,
      model: 'gemini-x-1',
      tokensIn: 17,
      tokensOut: 7,
      tokensCached: 5,
      tokensReasoning: 3,
    });
  });

  test('calls a tool by its schema, and the call comes back', async () => {
    const args = { hypothesis: 'ü', edits: [{ action: 'delete', path: 'a' }] };
    const parts = [
      { text: 'hidden', thought: true },
      { functionCall: { name: 'propose', args }, thoughtSignature: 'c2ln' },
    ];
    const { url, requests } = await startEndpoint(status(200, geminiAnswer({ content: { role: 'model', parts } })));
    const answer = await ask(url, { wire, request: TOOLS });
    expect(requests[0]?.body).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'propose', parameters: { type: 'object' } }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['propose'] } },
    });
    expect(answer).toMatchObject({ text: '', finishReason: 'STOP' });
    expect(answer.toolCalls).toEqual([{ name: 'propose', arguments: JSON.stringify(args) }]);
  });

  test('whose call is broken gives an empty answer; refusals of the choice and of tools are told apart', async () => {
    const broken = geminiAnswer({ content: {}, finishReason: 'MALFORMED_FUNCTION_CALL' });
    const endpoint = await startEndpoint(status(200, broken));
    const answer = await ask(endpoint.url, { wire, request: TOOLS });
    expect([answer.text, answer.toolCalls, answer.finishReason]).toEqual(['', undefined, 'MALFORMED_FUNCTION_CALL']);
    const forced = 'Forced function calling (mode = ANY) is not supported with thinking';
    endpoint.setScript([status(400, error(400, forced)), status(200, geminiAnswer())]);
    await ask(endpoint.url, { wire, request: TOOLS });
    const last = endpoint.requests.at(-1)?.body ?? {};
    expect([Object.hasOwn(last, 'tools'), Object.hasOwn(last, 'toolConfig')]).toEqual([true, false]);
    endpoint.setScript(status(400, error(400, 'Function calling is not enabled for models/x')));
    expect(await fail(endpoint.url, { wire, request: TOOLS })).toMatchObject({ refused: 'tools' });
  });

  test('ends at its limit of tokens, blocks an answer or the prompt, in words that the loop reads', async () => {
    const endpoint = await startEndpoint(status(200, geminiAnswer({ finishReason: 'MAX_TOKENS', content: undefined })));
    const cut = await ask(endpoint.url, { wire });
    expect([cut.text, isCutOff(cut.finishReason)]).toEqual(['', true]);
    endpoint.setScript(status(200, geminiAnswer({ finishReason: 'SAFETY', content: undefined })));
    expect(isFiltered((await ask(endpoint.url, { wire })).finishReason)).toBe(true);
    endpoint.setScript(status(200, { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }));
    expect((await ask(endpoint.url, { wire })).refusal).toBe('the prompt was blocked: PROHIBITED_CONTENT');
  });

  test.each([
    [
      400,
      error(400, 'API key not valid. Please pass a valid API key.', { status: 'INVALID_ARGUMENT' }),
      { kind: 'refused', status: 401 },
      /check GEMINI_API_KEY/,
    ],
    [404, error(404, 'models/x is not found'), { kind: 'refused', status: 404 }, /check GOOGLE_GEMINI_BASE_URL/],
    [503, error(503, 'The model is overloaded.'), { kind: 'down', status: 503 }, /this may be temporary/],
    [
      429,
      error(429, 'Resource exhausted', {
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' }],
      }),
      { kind: 'down', status: 429, retryAfterSeconds: 37 },
      /rate limit/,
    ],
    [200, { candidates: [] }, { kind: 'malformed' }, /an answer without choices \(check GOOGLE_GEMINI_BASE_URL\)/],
  ])('that answers %i is an error of its kind', async (code, body, facts, message) => {
    const { url } = await startEndpoint(status(code, body));
    const failed = await fail(url, { wire });
    expect(failed).toMatchObject({ ...facts, message: expect.stringMatching(message) as string });
  });
});

test.each([ANTHROPIC, GEMINI])('a silent endpoint is down after the deadline ($provider)', async (wire) => {
  const { url } = await startEndpoint({ kind: 'silent' });
  expect(await fail(url, { wire, request: { deadlineSeconds: 0.2 } })).toMatchObject({
    kind: 'down',
    status: null,
    isLate: true,
  });
});
