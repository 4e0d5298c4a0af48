import { describe, expect, test } from 'vitest';
import { createOpenAiLlm } from '../../../infra/llm/openai.ts';
import { PROPOSE_TOOL } from '../../../domain/edit/tools/propose-tool.ts';
import { ask, fail, KEY, startEndpoint } from './support.ts';

const request = { tools: [PROPOSE_TOOL] };
const GIVEN = '{"hypothesis": "ü", "edits": []}';
const whole = (tool_calls: unknown, finish_reason = 'tool_calls'): object => ({
  model: 'm',
  choices: [{ message: { role: 'assistant', content: null, tool_calls }, finish_reason }],
});
const refusing = (message: string, status = 400) => ({ kind: 'status', status, body: { error: { message } } }) as const;

describe('tool calls', () => {
  test('are asked for by their schema, and come back as the model wrote them', async () => {
    const body = whole([
      { id: '1', type: 'function', function: { name: 'propose', arguments: GIVEN } },
      { id: '2', type: 'function', function: { name: 'propose', arguments: { hypothesis: 'an object' } } },
      { id: '3', type: 'function', function: { name: 'propose', arguments: '{"hypo' } },
    ]);
    const { url, requests } = await startEndpoint({ kind: 'status', status: 200, body });
    expect(await ask(url, { request })).toMatchObject({
      text: '',
      finishReason: 'tool_calls',
      toolCalls: [
        { name: 'propose', arguments: GIVEN },
        { name: 'propose', arguments: '{"hypothesis":"an object"}' },
        { name: 'propose', arguments: '{"hypo' },
      ],
    });
    expect(requests[0]?.body).toMatchObject({
      tools: [{ type: 'function', function: { name: 'propose', parameters: { type: 'object' } } }],
      tool_choice: { type: 'function', function: { name: 'propose' } },
    });
  });

  test('of a stream are put together from their parts', async () => {
    const part = (tool_calls: unknown[]): string =>
      `data: ${JSON.stringify({ choices: [{ delta: { tool_calls } }] })}\n\n`;
    const pieces = GIVEN.match(/.{1,7}/gsu) ?? [];
    const body =
      part([{ index: 0, id: 'a', function: { name: 'propose', arguments: '' } }]) +
      pieces.map((piece) => part([{ index: 0, function: { arguments: piece } }])).join('') +
      part([{ id: 'b', function: { name: 'propose', arguments: '{}' } }]) +
      `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`;
    const headers = { 'content-type': 'text/event-stream' };
    const { url } = await startEndpoint({ kind: 'status', status: 200, body, headers });
    const { toolCalls } = await ask(url, { request });
    expect(toolCalls).toEqual([
      { name: 'propose', arguments: GIVEN },
      { name: 'propose', arguments: '{}' },
    ]);
  });

  test('do not contain the key', async () => {
    const body = whole([{ function: { name: 'propose', arguments: `{"hypothesis": "${KEY}"}` } }]);
    const { url } = await startEndpoint({ kind: 'status', status: 200, body });
    expect(JSON.stringify(await ask(url, { request }))).not.toContain(KEY);
  });
});

describe('an endpoint', () => {
  test('that refuses tool_choice is asked again without it', async () => {
    const script = [refusing('tool_choice is not supported for this model'), { kind: 'answer', text: 'x' } as const];
    const { url, requests } = await startEndpoint(script);
    await ask(url, { request });
    expect(requests.map(({ body }) => Object.hasOwn(body, 'tool_choice'))).toEqual([true, false]);
    expect(requests[1]?.body.tools).toHaveLength(1);
  });

  test.each<[string, number, number?]>([
    ['"auto" tool choice requires --enable-auto-tool-choice', 2],
    ['some-model does not support tools', 1],
    ['Function calling is not supported by this model', 1],
    ['No endpoints found that support tool use', 1, 404],
  ])('that refuses tools says so, and is remembered: %s', async (message, sent, status = 400) => {
    const { url, requests } = await startEndpoint(refusing(message, status));
    const llm = createOpenAiLlm({ baseUrl: url, apiKey: KEY });
    const plain = {
      model: 'some-model',
      messages: [{ role: 'user' as const, content: 'Improve this.' }],
      temperature: null,
      maxTokens: 100,
      deadlineSeconds: 20,
    };
    const { signal } = new AbortController();
    expect(llm.refusesTools?.('some-model')).toBe(false);
    await expect(llm.complete({ ...plain, ...request }, signal)).rejects.toMatchObject({ refused: 'tools' });
    expect(requests).toHaveLength(sent);
    expect(llm.refusesTools?.('some-model')).toBe(true);
    // The same words about a request without tools are about something else.
    await expect(llm.complete(plain, signal)).rejects.toMatchObject({ refused: null });
  });

  test('that is overloaded has not refused tools', async () => {
    const { url } = await startEndpoint(refusing('the tool server is overloaded, try again', 503));
    expect(await fail(url, { request })).toMatchObject({ kind: 'down', refused: null });
  });
});
