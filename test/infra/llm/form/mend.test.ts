import { describe, expect, test } from 'vitest';
import { bodyOf, type Form, PLAIN_FORM } from '../../../../infra/llm/form/form.ts';
import { isTooLong } from '../../../../infra/llm/form/length.ts';
import { mend, type Refusal, refusedSetting } from '../../../../infra/llm/form/mend.ts';
import { textsIn } from '../../../../infra/llm/form/texts.ts';
import type { LlmRequest } from '../../../../infra/llm.ts';

const REQUEST: LlmRequest = {
  model: 'm',
  messages: [
    { role: 'system', content: 'You improve.' },
    { role: 'user', content: 'Improve this.' },
  ],
  temperature: 1,
  maxTokens: 16384,
  deadlineSeconds: 20,
};

const refusal = (body: unknown, status = 400): Refusal => ({ status, words: textsIn(body).join('\n').toLowerCase() });
const changeOf = (body: unknown, { status = 400, form = PLAIN_FORM, request = REQUEST } = {}): string | null =>
  mend(form, request, refusal(body, status))?.change ?? null;
const openai = (message: string, more: object = {}): object => ({
  error: { message, type: 'invalid_request_error', ...more },
});

describe('a refusal of temperature', () => {
  test.each<[string, unknown, number?]>([
    ['by its value', openai("Unsupported value: 'temperature' takes only 1 here.", { param: 'temperature' })],
    ['as a parameter', openai("Unsupported parameter: 'temperature'.", { code: 'unsupported_parameter' })],
    [
      'in an Anthropic form',
      { type: 'error', error: { type: 'invalid_request_error', message: '`temperature` is deprecated' } },
    ],
    ['beside top_p', openai('`temperature` and `top_p` cannot both be given for this model')],
    [
      'by a gateway, as a text with JSON',
      openai('bad request', { metadata: { raw: '{"message":"temperature: no such key"}' } }),
    ],
    ['by FastAPI', { detail: [{ type: 'extra_forbidden', loc: ['body', 'temperature'], msg: 'Extra inputs' }] }, 422],
    ['as a plain text', 'Unrecognized request argument supplied: temperature'],
    [
      'by a gateway that calls it an error of its own',
      openai("the model doesn't support temperature=1; only 1", {}),
      500,
    ],
  ])('leaves it out: %s', (_name, body, status) => {
    expect(changeOf(body, { status: status ?? 400 })).toBe('leaves out temperature');
  });

  test('changes nothing if the temperature is left out already, or if the error only repeats the request', () => {
    const body = openai("Unsupported parameter: 'temperature'.");
    expect(changeOf(body, { request: { ...REQUEST, temperature: null } })).toBeNull();
    const echo = {
      detail: [{ type: 'missing', loc: ['body', 'user'], msg: 'Field required', input: { temperature: 1 } }],
    };
    expect(changeOf(echo, { status: 422 })).toBeNull();
  });
});

describe('a refusal of the limit of tokens', () => {
  test.each<[string, string, string]>([
    [
      'that suggests another name',
      "'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
      'max_completion_tokens',
    ],
    ['that suggests a rare name', 'unknown field max_tokens, expected max_output_tokens', 'max_output_tokens'],
    ['that suggests nothing', 'extra inputs are not permitted: max_tokens', 'max_completion_tokens'],
  ])('%s sends it under another name', (_name, message, key) => {
    const mended = mend(PLAIN_FORM, REQUEST, refusal(openai(message)));
    expect(bodyOf(REQUEST, mended?.form ?? PLAIN_FORM)).toMatchObject({ [key]: 16384 });
    expect(bodyOf(REQUEST, mended?.form ?? PLAIN_FORM)).not.toHaveProperty('max_tokens');
  });

  test('under each name leaves it out', () => {
    const form: Form = { ...PLAIN_FORM, limitKey: 'max_completion_tokens', refusedLimits: ['max_tokens'] };
    expect(changeOf(openai('unknown field max_completion_tokens'), { form })).toBe('leaves out the limit of tokens');
  });

  test.each<[string, string, number]>([
    ['at most', 'max_tokens is too large: 16384. This model supports at most 4096 completion tokens', 4096],
    ['a range', 'Range of max_tokens should be [1, 8192]', 8192],
    ['a range with a dash', 'max_tokens must be in the range 1-8192', 8192],
    ['a comparison', 'max_tokens: 16384 > 4096, the maximum number of output tokens for claude-3-haiku-20240307', 4096],
    [
      'a bound that is excluded',
      'maxOutputTokens value of 16384: the range is from 1 (inclusive) to 8193 (exclusive)',
      8192,
    ],
    ['a lower bound', 'The maximum tokens you requested exceeds the limit. Use a value that is lower than 2048', 2047],
    ['a number with a comma', 'max_tokens must be less than or equal to 8,192', 8192],
    [
      'beside the name of a window',
      '`max_tokens` must be <= `8192`, less than the `context_window` of this model',
      8192,
    ],
    ['nothing but the refused number', 'max_tokens of 16384 exceeds what this model allows', 8192],
  ])('that states %s lowers it', (_name, message, most) => {
    const body = { error: { message, code: 400 }, request_id: 9999 };
    const mended = mend(PLAIN_FORM, REQUEST, refusal(body));
    expect(mended?.form.mostTokens).toBe(most);
    expect(bodyOf(REQUEST, mended?.form ?? PLAIN_FORM)).toMatchObject({ max_tokens: most });
  });
});

describe('a refusal of the role system', () => {
  test.each<[string, unknown, number?]>([
    ['by a parameter', openai("'messages[0].role' does not support 'system' here", { param: 'messages[0].role' })],
    ['by a template', { object: 'error', message: 'System role not supported', type: 'BadRequestError', code: 400 }],
    ['by the order of roles', openai('Conversation roles must alternate user/assistant/user')],
    ['by a list of roles', openai('Only user, assistant and tool roles are supported')],
    ['as an instruction', [{ error: { code: 400, message: 'Developer instruction is not enabled for models/x' } }]],
    ['by a server that calls it an error of its own', openai('template: the role system is not supported'), 500],
  ])('puts its text into the first message of the user: %s', (_name, body, status) => {
    const mended = mend(PLAIN_FORM, REQUEST, refusal(body, status));
    const { messages } = bodyOf(REQUEST, mended?.form ?? PLAIN_FORM);
    expect(messages).toEqual([{ role: 'user', content: 'You improve.\n\nImprove this.' }]);
  });

  test('is no refusal of a request without that role', () => {
    const request: LlmRequest = { ...REQUEST, messages: [{ role: 'user', content: 'x' }] };
    expect(changeOf(openai('System role not supported'), { request })).toBeNull();
  });
});

describe('a refusal of an answer in one piece', () => {
  test.each([
    'This model only supports stream mode: enable the stream parameter',
    'Streaming is required for this operation',
    'enable_thinking must be false for non-streaming calls',
  ])('requests a stream: %s', (message) => {
    const mended = mend(PLAIN_FORM, REQUEST, refusal(openai(message)));
    const body = bodyOf(REQUEST, mended?.form ?? PLAIN_FORM);
    expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test('is not seen in the type of an error', () => {
    expect(changeOf(openai('bad gateway', { type: 'upstream_error' }))).toBeNull();
  });

  test('leaves out the options of a stream if they are refused', () => {
    const form = { ...PLAIN_FORM, streams: true };
    const mended = mend(form, REQUEST, refusal(openai('unknown field: stream_options')));
    expect(bodyOf(REQUEST, mended?.form ?? form)).toMatchObject({ stream: true });
    expect(bodyOf(REQUEST, mended?.form ?? form)).not.toHaveProperty('stream_options');
  });
});

describe('a refusal by length', () => {
  test.each<[string, unknown, number?]>([
    ['a code', openai('too much', { code: 'context_length_exceeded' })],
    ['the prompt', openai('prompt is too long: 205000 tokens > 200000 maximum')],
    ['the input', { message: 'Input is too long for requested model.' }],
    ['the count', openai('The input token count (1234567) exceeds the maximum number of tokens allowed')],
    ['a range', openai('Range of input length should be [1, 30720]')],
    ['a type', { error: { code: 400, type: 'exceed_context_size_error', message: 'the request exceeds it' } }],
    ['a limit of the model', openai('Your request exceeded model token limit: 8192')],
    ['the status alone', '<html>413</html>', 413],
    ['a rate that one request exceeds', openai('Request too large for m on tokens per minute'), 429],
  ])('is known by %s, and asks for no other form', (_name, body, status = 400) => {
    expect(isTooLong(refusal(body, status))).toBe(true);
    expect(changeOf(body, { status })).toBeNull();
  });

  test.each<[string, string]>([
    [
      'most of the context',
      'The maximum context length is 8192 tokens. You requested 16448 (64 in the messages, 16384 in the completion)',
    ],
    [
      'what a server adds up',
      '`inputs` tokens + `max_new_tokens` must be <= 8192. Given: 50 `inputs` tokens and 16384',
    ],
  ])('lowers a limit of the answer that takes %s', (_name, message) => {
    expect(mend(PLAIN_FORM, REQUEST, refusal(openai(message)))?.form.mostTokens).toBe(4096);
  });

  test('is not seen in a limit of the answer, a rate limit or a key', () => {
    expect(isTooLong(refusal(openai('max_tokens is too large: 9000')))).toBe(false);
    expect(isTooLong(refusal(openai('rate limit: too many input tokens'), 429))).toBe(false);
    expect(isTooLong(refusal(openai('incorrect API key')))).toBe(false);
  });
});

test('errors about a key, money, rights and rates ask for no other form, whatever they name', () => {
  for (const status of [401, 402, 403, 407, 429])
    expect(changeOf(openai('temperature, stream and system role: not supported'), { status })).toBeNull();
});

test.each<[number, string]>([
  [503, 'The system is overloaded, please retry your message later'],
  [503, 'The system must restart; retry your message later'],
  [500, 'The system could not process your message\ninternal error: invalid state'],
  [502, 'stream closed by upstream\ninvalid response'],
  [404, 'The model m is unknown: it must be one of stream-a, stream-b'],
  [500, 'model must be one of stream-a, fast-stream'],
  [404, 'model not found, only: temperature, user'],
])('an outage or an unknown model with status %i asks for no other form: %s', (status, message) => {
  expect(changeOf({ error: { message, type: 'server_error' } }, { status })).toBeNull();
});

test.each<[string, string]>([
  ['streamed-only: this is a stream-only model', 'requests the answer as a stream'],
  ['internal error\nconversation roles must alternate', 'sends the system text in the first user message'],
  ['bad\nunsupported parameter: temperature', 'leaves out temperature'],
])('a refusal on one line of an error with status 500 asks for another form: %s', (message, change) => {
  expect(changeOf({ error: { message } }, { status: 500 })).toBe(change);
});

test.each<[number, string]>([
  [400, 'Your request was rejected as a result of our safety system. Your prompt may contain text that is not allowed'],
  [400, 'The prompt triggered the content management policy. Only change the system message'],
  [403, 'the model requires moderation, and the system message was flagged'],
])('a refusal of the content with status %i asks for no other form: %s', (status, message) => {
  expect(changeOf(openai(message), { status })).toBeNull();
});

test('a key of llm.body that a refusal names is found as a word of its own', () => {
  const request: LlmRequest = { ...REQUEST, body: { reasoning_effort: 'high', seed: 1 } };
  expect(refusedSetting(request, refusal(openai("'reasoning_effort' does not support 'high'")))).toBe(
    'reasoning_effort',
  );
  expect(refusedSetting(request, refusal(openai('seeds are not supported')))).toBeNull();
  expect(mend(PLAIN_FORM, request, refusal(openai('max_tokens must exceed seed')))).toBeNull();
});

test('each change is made once, so that an endpoint that refuses everything ends the changes', () => {
  const body = openai(
    'temperature, max_tokens, max_completion_tokens, stream, stream_options, role system: unsupported',
  );
  let form: Form | null = PLAIN_FORM;
  const changes: string[] = [];
  while (form !== null) {
    const mended = mend(form, REQUEST, refusal(body));
    form = mended?.form ?? null;
    if (mended) changes.push(mended.change);
  }
  expect(changes).toHaveLength(6);
  expect(new Set(changes).size).toBe(6);
});

test('keys of the task do not replace the keys of Perpetua', () => {
  const request: LlmRequest = { ...REQUEST, body: { model: 'other', messages: [], top_p: 0.9 } };
  expect(bodyOf(request, PLAIN_FORM)).toMatchObject({ model: 'm', messages: REQUEST.messages, top_p: 0.9 });
});
