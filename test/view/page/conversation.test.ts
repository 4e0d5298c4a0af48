import { expect, test } from 'vitest';
import { cutText, messagesOf, sharedWith, shownMessage, toolsIn } from '../../../view/page/conversation.ts';

const ASKED = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"train.py"}' } },
    { id: 'b', type: 'function', function: { name: 'run', arguments: '{}' } },
  ],
};

test('tool calls are paired with their results by id; a call without a result has none', () => {
  const result = { role: 'tool', tool_call_id: 'b', content: 'exit 0' };
  expect(toolsIn([ASKED, result])).toEqual([
    { name: 'read', input: '{"path":"train.py"}', output: null },
    { name: 'run', input: '{}', output: 'exit 0' },
  ]);
});

test('a message is shown as text, with its tool calls', () => {
  expect(shownMessage(ASKED)).toEqual({ role: 'assistant', text: 'read {"path":"train.py"}\nrun {}' });
  expect(shownMessage({ role: 'user', content: [{ type: 'text', text: 'hi' }] }).text).toContain('"hi"');
});

test('a request without messages is shown as stored', () => {
  expect(messagesOf({ prompt: 'x' }).map(shownMessage)).toEqual([{ role: 'request', text: '{\n  "prompt": "x"\n}' }]);
  expect(messagesOf(null).map(shownMessage)).toEqual([{ role: 'request', text: 'null' }]);
  expect(messagesOf({ messages: ['odd', null] }).map(shownMessage)).toEqual([
    { role: 'unknown', text: 'odd' },
    { role: 'unknown', text: '' },
  ]);
});

test('the messages that a turn shares with the one before are the equal ones at the beginning', () => {
  const [a, b, c] = [{ content: 'a' }, { content: 'b' }, { content: 'c' }];
  expect(sharedWith([a, b], [a, b, c])).toBe(2);
  expect(sharedWith([a, b], [a, c, b])).toBe(1);
  expect(sharedWith([], [a])).toBe(0);
  expect(sharedWith([a], [a])).toBe(1);
});

test('invalid tool calls are ignored', () => {
  for (const tool_calls of ['x', [null], [{ id: 1 }], [{ id: 'a', function: null }]])
    expect(toolsIn([{ role: 'assistant', tool_calls }])).toEqual([]);
});

test('a long text is cut, with the number of missing characters', () => {
  expect(cutText('x'.repeat(200_000))).toHaveLength(200_000);
  expect(cutText('x'.repeat(200_017))).toMatch(/x\n… \(17 characters more\)$/);
});
