import { expect, test } from 'vitest';
import { MEMORY_FORMAT, MEMORY_PATH } from '../../../../domain/edit/answer/memory.ts';
import type { PromptInput } from '../../../../domain/prompt/prompt-input.ts';
import { buildMessages } from '../../../../domain/search/context/build-messages.ts';
import { CONTEXTS } from '../../../../domain/search/context/table.ts';

const input: PromptInput = {
  task: {
    name: 'tiny',
    description: 'Make it small.',
    metric: { name: 'bpc', direction: 'minimize', unit: 'bits' },
    run: { command: 'node a.js', budget: { seconds: 3, kind: 'cpu' } },
  },
  prompt: null,
  files: { 'a.js': 'const RATE = 1;\n' },
  parent: { trialN: 7, value: 1.5, n: 3 },
  incumbent: null,
  baseline: null,
  history: [],
  notes: [],
};
const systemOf = (more: Partial<PromptInput>): string =>
  buildMessages({ ...input, ...more }, { parts: CONTEXTS.history.parts })[0]?.content ?? '';

test('a prompt describes the memory in the form of the answer: a block, or an argument of the tool', () => {
  expect(systemOf({ memory: null })).toContain(MEMORY_FORMAT);
  const byTools = systemOf({ memory: null, byTools: true });
  expect(byTools).toContain('give its new text as `memory`');
  expect(byTools).not.toContain(MEMORY_PATH);
  expect(systemOf({ byTools: true })).not.toContain('memory');
});
