import { expect, test } from 'vitest';
import { cutText, showConversation } from '../../../view/page/conversation.ts';

const ASKED = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"train.py"}' } },
    { id: 'b', type: 'function', function: { name: 'run', arguments: '{}' } },
  ],
};
const USER = { role: 'user', content: 'edit it' };

const stored = (turn: number, messages: unknown[], answer: object | null = null) => ({
  turn,
  role: 'proposer' as const,
  protocol: 'chat' as const,
  request: { messages },
  answer: answer && JSON.stringify({ choices: [{ message: answer }] }),
  removedAt: null,
});

const show = (...calls: Parameters<typeof showConversation>[0]) => showConversation(calls).map(({ shown }) => shown);

test('results stand beside their tool calls, and not among the messages again', () => {
  const result = { role: 'tool', tool_call_id: 'a', content: 'LR = 1' };
  const other = { role: 'tool', tool_call_id: 'other', content: 'of no call' };
  expect(show(stored(0, [USER], ASKED), stored(1, [USER, ASKED, result, other]))).toEqual([
    {
      bodies: 'kept',
      before: 0,
      messages: [{ role: 'user', text: 'edit it' }],
      answer: null,
      tools: [
        { name: 'read', input: 'train.py', output: 'LR = 1' },
        { name: 'run', input: '{}', output: null },
      ],
    },
    { bodies: 'kept', before: 2, messages: [{ role: 'tool', text: '← of no call' }], answer: null, tools: [] },
  ]);
});

test('a message is shown as text, with its reasoning and its tool calls', () => {
  expect(show(stored(0, [{ ...ASKED, content: 'I look', reasoning_content: 'first' }]))[0]?.messages).toEqual([
    { role: 'assistant', text: '(reasoning) first\nI look\n→ read: train.py\n→ run: {}' },
  ]);
});

test('a long text is cut, with the number of missing characters', () => {
  expect(cutText('x'.repeat(200_000))).toHaveLength(200_000);
  expect(cutText('x'.repeat(200_017))).toMatch(/x\n… \(17 characters more\)$/);
});

test('all texts of a conversation together are bounded', () => {
  const calls = Array.from({ length: 30 }, (_, turn) =>
    stored(turn, [{ role: 'user', content: `${turn}${'x'.repeat(190_000)}` }]),
  );
  const lengths = show(...calls).map(({ messages }) => messages[0]?.text.length ?? 0);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(4_100_000);
  expect(lengths.at(-1)).toBeLessThan(40);
});
