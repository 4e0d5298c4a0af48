import { describe, expect, test } from 'vitest';
import { findReportedError } from '../../../infra/llm/reported-error.ts';

const choice = (more: object, content: unknown = '') => ({ choices: [{ message: { content }, ...more }] });

describe('an error within an answer of status 200', () => {
  test.each<[string, unknown, number]>([
    ['a code in words', { error: { message: 'wait', code: 'rate_limit_exceeded' } }, 429],
    ['a type in words', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 503],
    ['a number', { error: { code: 502, message: 'upstream' } }, 502],
    ['a number as a text', { error: { code: '429', message: 'x' } }, 429],
    ['a text', { error: 'the model is loading' }, 503],
    ['unknown words', { error: { message: 'the moon is full' } }, 503],
    ['a code at the top', { code: 429, message: 'slow down' }, 429],
    ['a message at the top, with null choices', { choices: null, message: 'server is busy' }, 503],
    ['a status of the base', { choices: null, base_resp: { status_code: 1002, status_msg: 'rate limit' } }, 429],
    ['a code that is no status', { code: '1302', msg: 'concurrency: too many requests' }, 429],
    ['a list of errors', { errors: [{ message: 'capacity temporarily exceeded' }], success: false }, 503],
    ['a list of one', [{ error: { code: 503, status: 'UNAVAILABLE' } }], 503],
    ['the choice', choice({ error: { code: 502, message: 'overloaded' }, finish_reason: 'error' }), 502],
    ['the choice, beside half a text', choice({ error: { message: 'lost' }, finish_reason: 'error' }, 'half'), 503],
    ['the end of the choice alone', choice({ finish_reason: 'error' }), 502],
    ['no money', { error: { message: 'Insufficient Balance' } }, 402],
    ['a wrong key', { error: { type: 'authentication_error', message: 'no' } }, 401],
    ['an unknown model', { error: { message: 'model xyz does not exist', code: 'model_not_found' } }, 404],
    ['a wrong request', { error: { type: 'invalid_request_error', message: 'n must be 1' } }, 400],
    ['a refusal of the content by its type', { error: { type: 'content_policy_violation', message: 'no' } }, 400],
    ['a refusal of the content by its words', { error: { message: 'Your input was flagged as harmful' } }, 400],
    ['a moderation that is down', { error: { message: 'the moderation service is temporarily unavailable' } }, 503],
    ['a prompt that is too long', { error: { code: 'context_length_exceeded', message: 'too long' } }, 400],
  ])('stands for a status by %s', (_name, json, status) => {
    expect(findReportedError(json)?.status).toBe(status);
  });

  test.each<[string, unknown]>([
    ['an answer', { ...choice({ finish_reason: 'stop' }, 'a'), error: null }],
    ['a whole answer beside an error', { ...choice({ finish_reason: 'stop' }, 'a'), error: { message: 'late' } }],
    ['no choices and no words', { id: 'x', object: 'chat.completion', model: 'm', choices: [], usage: {} }],
    ['choices that are null', { id: 'x', choices: null, error: null }],
    ['a success without choices', { code: 0, msg: 'ok', choices: null }],
    ["Ollama's own form", { model: 'm', message: { role: 'assistant', content: 'server is busy' }, done: true }],
    ["Cohere's own form", { id: 'x', message: { role: 'assistant', content: [{ text: 'a' }] }, finish_reason: 'X' }],
    ['an empty error', { error: {}, choices: [] }],
    ['no JSON', undefined],
  ])('is not seen in %s', (_name, json) => {
    expect(findReportedError(json)).toBeNull();
  });

  test('is reported with its message, and with the wait that it asks for', () => {
    expect(findReportedError({ error: { message: 'slow down', code: 429, retry_after: 7 } })).toMatchObject({
      message: 'slow down',
      retryAfterSeconds: 7,
    });
  });
});
