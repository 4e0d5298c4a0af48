import { describe, expect, test } from 'vitest';
import type { Protocol } from '../../../../domain/gateway/call.ts';
import { readAnswer, readRequest } from '../../../../domain/gateway/conversation/read.ts';
import { turn, type Turn } from '../../../../domain/gateway/conversation/turn.ts';

/** The same conversation in each protocol: a question, a tool call with its result, and an answer. */
interface Example {
  request: object;
  whole: object;
  /** Events of the same answer as a stream. */
  events: readonly object[];
  /** Ids that the protocol gives to calls. */
  id: string | null;
  result: string;
}

const INPUT = { command: 'sed -i s/1/2/ train.py' };
const ARGUMENTS = JSON.stringify(INPUT);

const EXAMPLES: Record<Protocol, Example> = {
  chat: {
    request: {
      model: 'm',
      messages: [
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'edit it' },
            { type: 'image_url', image_url: { url: 'x' } },
          ],
        },
        {
          role: 'assistant',
          content: 'I look',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'bash', arguments: ARGUMENTS } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'LR = 2' },
      ],
    },
    whole: {
      choices: [
        {
          message: {
            role: 'assistant',
            content: 'Done',
            reasoning_content: 'short',
            tool_calls: [{ id: 'c2', type: 'function', function: { name: 'bash', arguments: ARGUMENTS } }],
          },
        },
      ],
    },
    events: [
      { choices: [{ delta: { role: 'assistant', content: '' } }] },
      { choices: [{ delta: { reasoning_content: 'short' } }] },
      { choices: [{ delta: { content: 'Do' } }] },
      { choices: [{ delta: { content: 'ne' } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, id: 'c2', function: { name: 'bash', arguments: '' } }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ARGUMENTS.slice(0, 9) } }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: ARGUMENTS.slice(9) } }] } }] },
      { choices: [], usage: {} },
    ],
    id: 'c1',
    result: 'c1',
  },
  responses: {
    request: {
      instructions: 'be brief',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'edit it' }, { type: 'input_image' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look' }] },
        { type: 'function_call', call_id: 'c1', name: 'bash', arguments: ARGUMENTS },
        { type: 'function_call_output', call_id: 'c1', output: 'LR = 2' },
      ],
    },
    whole: {
      output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'short' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done' }] },
        { type: 'function_call', call_id: 'c2', name: 'bash', arguments: ARGUMENTS },
      ],
    },
    events: [
      { type: 'response.created', response: { output: [] } },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { type: 'reasoning', summary: [{ type: 'summary_text', text: 'short' }] },
      },
      { type: 'response.output_text.delta', output_index: 1, delta: 'Do' },
      { type: 'response.output_text.delta', output_index: 1, delta: 'ne' },
      {
        type: 'response.completed',
        response: {
          output: [
            { type: 'reasoning', summary: [{ type: 'summary_text', text: 'short' }] },
            { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done' }] },
            { type: 'function_call', call_id: 'c2', name: 'bash', arguments: ARGUMENTS },
          ],
        },
      },
    ],
    id: 'c1',
    result: 'c1',
  },
  messages: {
    request: {
      system: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'edit it' },
            { type: 'image', source: {} },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look' },
            { type: 'tool_use', id: 'c1', name: 'bash', input: INPUT },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'LR = 2' }] }],
        },
      ],
    },
    whole: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'short', signature: 's' },
        { type: 'text', text: 'Done' },
        { type: 'tool_use', id: 'c2', name: 'bash', input: INPUT },
      ],
    },
    events: [
      { type: 'message_start', message: { content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'short' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Do' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'ne' } },
      { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c2', name: 'bash', input: {} } },
      {
        type: 'content_block_delta',
        index: 2,
        delta: { type: 'input_json_delta', partial_json: ARGUMENTS.slice(0, 9) },
      },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: ARGUMENTS.slice(9) } },
      { type: 'message_stop' },
    ],
    id: 'c1',
    result: 'c1',
  },
  gemini: {
    request: {
      systemInstruction: { parts: [{ text: 'be brief' }] },
      contents: [
        { role: 'user', parts: [{ text: 'edit it\n' }, { inlineData: { data: 'x' } }] },
        { role: 'model', parts: [{ text: 'I look' }, { functionCall: { name: 'bash', args: INPUT } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'bash', response: { output: 'LR = 2' } } }] },
      ],
    },
    whole: {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { text: 'short', thought: true },
              { text: 'Done' },
              { functionCall: { name: 'bash', args: INPUT }, thoughtSignature: 's' },
            ],
          },
        },
      ],
    },
    events: [
      { candidates: [{ content: { parts: [{ text: 'short', thought: true }] } }] },
      { candidates: [{ content: { parts: [{ text: 'Do' }] } }] },
      { candidates: [{ content: { parts: [{ text: 'ne' }] } }] },
      { candidates: [{ content: { parts: [{ functionCall: { name: 'bash', args: INPUT } }] } }] },
      { usageMetadata: {} },
    ],
    id: null,
    result: 'bash',
  },
};

const streamOf = (events: readonly object[]): string =>
  events.map((event, index) => `event: e${index}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`).join('') +
  'data: [DONE]\n\n';

const IMAGE: Record<Protocol, string> = {
  chat: '[image_url]',
  responses: '[input_image]',
  messages: '[image]',
  gemini: '[inlineData]',
};

describe.each(Object.entries(EXAMPLES) as [Protocol, Example][])('the conversation of %s', (protocol, example) => {
  const { request, whole, events, id, result } = example;
  const answer: Turn = turn('assistant', {
    text: 'Done',
    reasoning: 'short',
    calls: [{ id: id === null ? null : 'c2', name: 'bash', input: ARGUMENTS }],
  });

  test('has the messages of a request, with tool calls and their results', () => {
    expect(readRequest(protocol, request)).toEqual([
      turn('system', { text: 'be brief' }),
      turn('user', { text: `edit it\n${IMAGE[protocol]}` }),
      turn('assistant', { text: 'I look', calls: [{ id, name: 'bash', input: ARGUMENTS }] }),
      turn(protocol === 'messages' ? 'user' : 'tool', { results: [{ id: result, output: 'LR = 2' }] }),
    ]);
  });

  test('has the same answer whether it came whole or as a stream', () => {
    expect(readAnswer(protocol, JSON.stringify(whole))).toEqual(answer);
    expect(readAnswer(protocol, streamOf(events))).toEqual(answer);
  });

  test('has what came of a stream that broke off', () => {
    const text = streamOf(events);
    const cut = text.slice(0, text.indexOf('"ne"') - 20);
    expect(readAnswer(protocol, cut)).toMatchObject({ text: 'Do', reasoning: 'short', calls: [] });
  });

  test.each(['', 'Bad Gateway', '{}', '[]', '[null]', 'null', '7', '{"choices": [], "output": 1, "candidates": [{}]}'])(
    'shows an answer of another form as its text: %s',
    (body) => expect(readAnswer(protocol, body)).toEqual(turn('assistant', { text: body })),
  );

  test.each([null, 'text', 7, {}, { messages: 1, input: 2, contents: 3 }])(
    'shows a request of another form as its JSON: %j',
    (body) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
      expect(readRequest(protocol, body)).toEqual([turn('request', { text })]);
    },
  );
});

test('a request of a proposer of Perpetua has messages, and its answer is a text', () => {
  expect(readRequest(null, { messages: [{ role: 'user', content: 'x' }, 'odd', null], model: 'm' })).toEqual([
    turn('user', { text: 'x' }),
    turn('unknown', { text: 'odd' }),
    turn('unknown', {}),
  ]);
  expect(readAnswer(null, '{"content": "no protocol"}')).toEqual(
    turn('assistant', { text: '{"content": "no protocol"}' }),
  );
});

test('hostile values of any field are read without an error', () => {
  const odd = [null, 7, 'x', [], {}, [[null]], [{ role: 1, content: {}, parts: 'x', type: [], tool_calls: {} }]];
  for (const protocol of Object.keys(EXAMPLES) as Protocol[])
    for (const value of odd) {
      const body = {
        messages: value,
        input: value,
        contents: value,
        system: value,
        choices: [{ message: value }],
        output: value,
        content: value,
        candidates: [{ content: { parts: value } }],
      };
      expect(readRequest(protocol, body).every(({ role }) => typeof role === 'string')).toBe(true);
      expect(typeof readAnswer(protocol, JSON.stringify(body)).text).toBe('string');
      expect(typeof readAnswer(protocol, streamOf([body, { delta: value, response: body }])).text).toBe('string');
    }
});
