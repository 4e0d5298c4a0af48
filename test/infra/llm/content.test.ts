import { describe, expect, test } from 'vitest';
import { ask, fail, startEndpoint } from './support.ts';

const body = (message: object, finish_reason: unknown = 'stop', more: object = {}): object => ({
  choices: [{ message, finish_reason }],
  ...more,
});
const answerOf = async (message: object, finish?: unknown, more?: object) => {
  const { url } = await startEndpoint({ kind: 'status', status: 200, body: body(message, finish, more) });
  return ask(url);
};
const text = (words: unknown): object => ({ type: 'text', text: words });

describe('a content of parts', () => {
  test.each<[string, unknown, string]>([
    ['one text', [text('a\n')], 'a\n'],
    ['texts in their order', [text('a'), text('b\n'), text('c')], 'ab\nc'],
    ['texts of the newer kind', [{ type: 'output_text', text: 'a', annotations: [] }], 'a'],
    ['plain texts', ['a', 'b'], 'ab'],
    ['a text without a kind', [{ text: 'a' }], 'a'],
    ['thoughts as a list before it', [{ type: 'thinking', thinking: [text('hm')] }, text('a')], 'a'],
    ['thoughts as a text before it', [{ type: 'thinking', thinking: 'hm', text: 'hm' }, text('a')], 'a'],
    ['reasoning before it', [{ type: 'reasoning', text: 'hm' }, text('a')], 'a'],
    ['a text that is marked as thought', [{ text: 'hm', thought: true }, { text: 'a' }], 'a'],
    ['what is hidden', [{ type: 'redacted_thinking', data: 'x' }, text('a')], 'a'],
    [
      'an image, a call and something new',
      [{ type: 'image_url' }, { type: 'tool_use' }, { type: 'new', text: 'x' }, text('a')],
      'a',
    ],
    ['a text that is a list of texts', [text([text('a'), text('b')])], 'ab'],
    ['a text that is a list of thoughts and texts', [text([{ type: 'thinking', thinking: 'hm' }, text('b')])], 'b'],
    ['a text in a value', [text({ value: 'a' })], 'a'],
    ['one part that is not in a list', text('a'), 'a'],
    ['nothing among others', [null, 3, [], {}, text('a')], 'a'],
    ['an empty text', [text('')], ''],
  ])('gives its text: %s', async (_name, content, expected) => {
    expect((await answerOf({ content })).text).toBe(expected);
  });

  test.each<[string, unknown]>([
    ['no part', []],
    ['thoughts alone', [{ type: 'thinking', thinking: 'hm' }]],
    ['null', null],
  ])('without a text is an empty answer: %s', async (_name, content) => {
    for (const reason of ['stop', 'length', 'MAX_TOKENS', 'max_output_tokens', 'content_filter'])
      expect(await answerOf({ content }, reason)).toMatchObject({ text: '', finishReason: reason });
  });

  test('of lists in lists without end is an empty answer', async () => {
    const content = '['.repeat(500_000) + ']'.repeat(500_000);
    const { url } = await startEndpoint({
      kind: 'status',
      status: 200,
      body: `{"choices":[{"message":{"content":${content}}}]}`,
    });
    expect((await ask(url)).text).toBe('');
  });

  test('that is something else is no completion', async () => {
    const { url } = await startEndpoint({ kind: 'status', status: 200, body: body({ content: 7 }) });
    expect((await fail(url)).message).toContain('a content that is number, neither a text nor a list of parts');
  });

  test.each(['reasoning_content', 'reasoning', 'thinking'])('is never taken from %s', async (field) => {
    expect((await answerOf({ content: 'a', [field]: 'hm' })).text).toBe('a');
    expect((await answerOf({ content: null, [field]: 'hm' })).text).toBe('');
  });
});

test('every text of an answer is cleaned', async () => {
  const dirty = 'a\0b\ud800';
  const answer = await answerOf({ content: [text(dirty)], refusal: dirty }, dirty, { model: dirty, id: dirty });
  expect(answer).toMatchObject({
    text: 'a\ufffdb\ufffd',
    refusal: 'a\ufffdb\ufffd',
    finishReason: 'a\ufffdb\ufffd',
    model: 'a\ufffdb\ufffd',
  });
  expect(JSON.stringify(answer)).not.toMatch(/\\u0000|\\ud800/);
});

test('a long word for an end is cut', async () => {
  expect((await answerOf({ content: 'a' }, 'x'.repeat(1000))).finishReason).toHaveLength(100);
});
