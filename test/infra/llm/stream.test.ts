import { describe, expect, test } from 'vitest';
import { ask, fail, startEndpoint } from './support.ts';

const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ model: 'm-2', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } })}\n\n`;
const DONE = 'data: [DONE]\n\n';
const TEXT = chunk({ role: 'assistant', content: '' }) + chunk({ content: 'a😀' }) + chunk({ content: 'b' });

/** Starts an endpoint that sends these events to everyone. */
async function streaming(body: string): Promise<string> {
  const headers = { 'content-type': 'text/event-stream' };
  return (await startEndpoint({ kind: 'status', status: 200, body, headers })).url;
}

describe('an answer in events', () => {
  test('has the text, the usage and the model of its chunks', async () => {
    const answer = await ask(await streaming(TEXT + chunk({}, 'stop') + USAGE + DONE));
    expect(answer).toMatchObject({ text: 'a😀b', finishReason: 'stop', model: 'm-2', tokensIn: 7, tokensOut: 3 });
  });

  test.each<[string, string]>([
    ['other line ends', TEXT.replaceAll('\n', '\r\n') + chunk({}, 'stop').replaceAll('\n', '\r') + DONE],
    ['comments and other fields', `: ping\n\nid: 1\nretry: 3\n${TEXT}: ping\n\n${chunk({}, 'stop')}${DONE}`],
    ['no end but its reason', TEXT + chunk({}, 'stop').trimEnd()],
    ['no reason but its end', TEXT + DONE],
    ['data of several lines', `${TEXT}data: {"choices":\ndata: [{"delta":{},"finish_reason":"stop"}]}\n\n${DONE}`],
    ['no blank after the colon', (TEXT + chunk({}, 'stop')).replaceAll('data: ', 'data:') + DONE],
    ['a byte order mark', `\ufeff${TEXT}${chunk({}, 'stop')}${DONE}`],
    ['thoughts', chunk({ reasoning_content: 'hm' }) + TEXT + chunk({ content: null, reasoning: 'hm' }, 'stop') + DONE],
    [
      'another choice',
      TEXT + `data: {"choices":[{"index":1,"delta":{"content":"no"}}]}\n\n` + chunk({}, 'stop') + DONE,
    ],
    ['a list of parts', TEXT.replace('"b"', '[{"type":"text","text":"b"}]') + chunk({}, 'stop') + DONE],
    ['filters of the prompt before it', `data: {"choices":[],"prompt_filter_results":[]}\n\n${TEXT}${DONE}`],
  ])('is read with %s', async (_name, body) => {
    expect((await ask(await streaming(body))).text).toBe('a😀b');
  });

  test('may be a refusal, or a text that was cut', async () => {
    const refused = await ask(
      await streaming(chunk({ refusal: 'I will ' }) + chunk({ refusal: 'not.' }, 'stop') + DONE),
    );
    expect(refused).toMatchObject({ text: '', refusal: 'I will not.' });
    expect(await ask(await streaming(TEXT + chunk({}, 'length') + DONE))).toMatchObject({ finishReason: 'length' });
  });

  test.each<[string, string, string]>([
    [
      'an error among them',
      `${TEXT}data: {"error":{"message":"upstream overloaded","code":503}}\n\n`,
      'upstream overloaded',
    ],
    ['an event that is an error', `${TEXT}event: error\ndata: {"message":"server is busy"}\n\n`, 'server is busy'],
    ['no end', TEXT, 'the stream ended before its last chunk'],
    ['half a chunk', TEXT + chunk({ content: 'c' }).slice(0, 40), 'a chunk of the stream is no JSON'],
    [
      'an error in a choice',
      `${TEXT}data: {"choices":[{"delta":{},"error":{"message":"lost"},"finish_reason":"error"}]}\n\n`,
      'lost',
    ],
  ])('means a failure that may heal with %s', async (_name, body, words) => {
    const error = await fail(await streaming(body));
    expect(error.kind).toBe('down');
    expect(error.message).toContain(words);
  });

  test.each<[string, string]>([
    ['without a choice', USAGE],
    ['of another protocol', 'data: {"model":"m","message":{"role":"assistant","content":"busy"},"done":true}\n\n'],
  ])('%s is no completion', async (_name, body) => {
    expect(await fail(await streaming(body + DONE))).toMatchObject({ kind: 'malformed' });
  });
});
