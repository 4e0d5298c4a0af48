import { expect, test } from 'vitest';
import { describeMarks, inputText, readConversation } from '../../../view/trial/conversation.ts';

const stored = (turn: number, request: unknown, given: object = {}) => ({
  turn,
  role: 'proposer' as const,
  protocol: 'chat' as const,
  request,
  answer: null as string | null,
  removedAt: null,
  ...given,
});

const user = (content: string) => ({ role: 'user', content });
const calling = (id: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'bash', arguments: '{"command": "ls"}' } }],
});
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
const answer = (message: object) => JSON.stringify({ choices: [{ message }] });

test('a call has only messages that no earlier call had, and tool calls with their results', () => {
  const first = [user('edit it')];
  const second = [...first, calling('a'), result('a', 'train.py')];
  const read = readConversation([
    stored(0, { messages: first }, { answer: answer(calling('a')) }),
    // A side call in between, with a system prompt of its own.
    stored(1, { messages: [user('name this chat')] }, { answer: answer({ content: 'Edit' }) }),
    stored(2, { messages: second }, { answer: answer({ content: 'done' }) }),
    stored(3, { messages: [{ role: 'system', content: 'rendered anew' }, ...second] }),
  ]);
  expect(read.map(({ before, messages }) => [before, messages.map(({ role }) => role)])).toEqual([
    [0, ['user']],
    [0, ['user']],
    [2, ['tool']],
    [3, ['system']],
  ]);
  expect(read[0]?.tools).toEqual([{ id: 'a', name: 'bash', input: '{"command":"ls"}', output: 'train.py' }]);
  expect(read[2]).toMatchObject({ answer: { text: 'done' }, tools: [] });
});

test('equal messages of one request are as many messages', () => {
  const go = user('go on');
  const read = readConversation([
    stored(0, { messages: [go] }),
    stored(1, { messages: [go, go] }),
    stored(2, { messages: [go, go, go] }),
  ]);
  expect(read.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
});

test('each tool call without an id gets the next result of its tool', () => {
  const called = { parts: [{ functionCall: { name: 'ls', args: {} } }, { functionCall: { name: 'ls', args: {} } }] };
  const results = ['one', 'two'].map((output) => ({ functionResponse: { name: 'ls', response: { output } } }));
  const read = readConversation([
    {
      ...stored(0, { contents: [] }),
      protocol: 'gemini',
      answer: JSON.stringify({ candidates: [{ content: called }] }),
    },
    { ...stored(1, { contents: [{ role: 'user', parts: results }] }), protocol: 'gemini' },
  ]);
  expect(read[0]?.tools.map(({ output }) => output)).toEqual(['one', 'two']);
});

test("the texts of old calls, and of an evaluator's calls, are said to be absent", () => {
  const read = readConversation([
    stored(0, null, { removedAt: new Date() }),
    stored(1, null, { role: 'evaluator' }),
    stored(2, { messages: [user('judge it')] }, { role: 'evaluator' }),
  ]);
  expect(read.map(({ bodies, messages }) => [bodies, messages.length])).toEqual([
    ['removed', 0],
    ['withheld', 0],
    ['kept', 1],
  ]);
});

test('the input of a tool call is its only text, else its JSON', () => {
  expect(['{"command":"ls\\n"}', '{"a":"x","b":"y"}', '{"n":1}', 'raw'].map(inputText)).toEqual([
    'ls\n',
    '{"a":"x","b":"y"}',
    '{"n":1}',
    'raw',
  ]);
});

test('marks of a call are words', () => {
  const none = { repeated: 0, failed: 0, cut: false, estimated: false, status: 200 };
  expect(describeMarks(none)).toEqual([]);
  expect(describeMarks({ ...none, repeated: 1, failed: 2, cut: true, estimated: true })).toEqual([
    'sent again once',
    'failed 2 times',
    'answer broke off',
    'tokens estimated',
  ]);
});
