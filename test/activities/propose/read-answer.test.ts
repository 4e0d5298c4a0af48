import { expect, test } from 'vitest';
import { mutableOnly } from '../../../domain/edit/scope/edit-scope.ts';
import { readAnswer } from '../../../activities/propose/read-answer.ts';

const FILES = { Makefile: 'lr = 1\nsteps = 2\n', 'a.py': 'lr = 1\nsteps = 2\n' };
const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;
const read = (text: string, finishReason: string | null = 'stop', limit?: string) =>
  readAnswer(
    { text, finishReason, refusal: null, ...(limit === undefined ? {} : { limit }) },
    FILES,
    mutableOnly(Object.keys(FILES)),
  );
const whole = `HYPOTHESIS: h\n\na.py\n${block('lr = 1', 'lr = 3')}\n`;

test('a file whose name is a word is known by the paths of the task', () => {
  expect(
    read(`HYPOTHESIS: h\n\na.py\n${block('lr = 1', 'lr = 3')}\n\nMakefile\n${block('steps = 2', 'steps = 4')}`),
  ).toMatchObject({
    ok: true,
    proposed: { files: { 'a.py': 'lr = 3\nsteps = 2\n', Makefile: 'lr = 1\nsteps = 4\n' } },
  });
});

test.each(['length', 'max_tokens', 'MAX_TOKENS', 'max_output_tokens'])(
  'an answer that was cut is refused, whatever could be read of it: %s',
  (reason) => {
    const failure = {
      label: 'unreadable-answer',
      message:
        'expected a whole answer, got 1 edit and the beginning of what may be more; ' +
        'give a shorter answer (the answer was cut at llm.maxTokens)',
    };
    expect(read(whole, reason)).toEqual({ ok: false, failure });
    expect(read(`<think>\n${whole}`, reason)).toMatchObject({
      failure: { message: expect.stringMatching(/never end.*\(the answer was cut at llm\.maxTokens\)$/) as string },
    });
    expect(read('', reason)).toMatchObject({
      failure: {
        message: expect.stringMatching(/^the answer is empty.*\(the answer was cut at llm\.maxTokens\)$/) as string,
      },
    });
  },
);

test('a sample of a policy, which is not asked again, is read as far as it goes', () => {
  expect(read(whole, 'length', 'search.proposer.maxTokens')).toMatchObject({ ok: true });
  expect(read('x', 'length', 'search.proposer.maxTokens')).toMatchObject({
    failure: { message: expect.stringContaining('(the answer was cut at search.proposer.maxTokens)') as string },
  });
});

test('a diff is stored as the parts that it changes', () => {
  expect(read('HYPOTHESIS: h\n\n```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-lr = 1\n+lr = 3\n```')).toMatchObject({
    ok: true,
    proposed: {
      files: { 'a.py': 'lr = 3\nsteps = 2\n' },
      edits: [{ path: 'a.py', search: 'lr = 1', replace: 'lr = 3', line: 1 }],
    },
  });
});

test('a tool call replaces the memory only of a model that keeps one, and within its limit', () => {
  const edits = [{ action: 'replace', path: 'a.py', search: 'lr = 1', replace: 'lr = 3' }];
  const readCall = (memory: string, keepsMemory: boolean) => {
    const toolCalls = [{ name: 'propose', arguments: JSON.stringify({ hypothesis: 'h', edits, memory }) }];
    const answer = {
      text: '',
      toolCalls,
      finishReason: 'tool_calls',
      refusal: null,
      keepsMemory,
      form: 'tools' as const,
    };
    return readAnswer(answer, FILES, mutableOnly(Object.keys(FILES)));
  };
  expect(readCall('wide is bad', true)).toMatchObject({ ok: true, proposed: { memory: 'wide is bad\n' } });
  const without = readCall('wide is bad', false);
  expect(without.ok && 'memory' in without.proposed).toBe(false);
  expect(readCall('x'.repeat(16_384), true)).toMatchObject({
    failure: {
      label: 'unreadable-answer',
      message: expect.stringMatching(/^the tool call: memory has 16385 bytes, and at most 16384 are kept/) as string,
    },
  });
});
