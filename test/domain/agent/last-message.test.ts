import { expect, test } from 'vitest';
import { lastMessage } from '../../../domain/agent/last-message.ts';

const chat = (message: object) => ({
  protocol: 'chat' as const,
  body: JSON.stringify({ choices: [{ message: { role: 'assistant', ...message } }] }),
});

test('the last message of an agent is the newest answer with text and without a call of a tool', () => {
  const tool = { tool_calls: [{ id: '1', function: { name: 'bash', arguments: '{}' } }] };
  expect(lastMessage([chat({ content: 'I look.', ...tool }), chat({ content: ' ' }), chat({ content: 'Done.' })])).toBe(
    'Done.',
  );
  expect(lastMessage([chat(tool)])).toBe('');
  expect(lastMessage([])).toBe('');
});

test('the last message has no characters that the database refuses', () => {
  expect(lastMessage([chat({ content: 'a\0b\ud800' })])).toBe('a\ufffdb\ufffd');
});
