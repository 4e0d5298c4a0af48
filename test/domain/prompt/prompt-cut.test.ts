import { expect, test } from 'vitest';
import { PROMPT_CHARACTERS, promptCut as cutOf } from '../../../domain/search/context/build-messages.ts';
import { CONTEXTS } from '../../../domain/search/context/table.ts';

const promptCut = (input: Parameters<typeof cutOf>[0]) => cutOf(input, CONTEXTS.history);

const input = (more: { prompt?: string; files?: Record<string, string> } = {}) => ({
  task: { name: 'toy', description: 'a toy', metric: { name: 'loss', direction: 'minimize' as const } },
  ...{ prompt: null, files: { 'train.py': 'LR = 0.1\n' }, parent: null, incumbent: null, baseline: null },
  ...{ history: [], notes: [] },
  ...more,
});

test('a prompt that fits is sent whole', () => {
  expect(promptCut(input({ prompt: 'mind the slope' }))).toBeNull();
});

test('a prompt that does not fit says how much of it is sent, and which part of it is too long', () => {
  const files = { 'train.py': 'x = 1\n'.repeat(40_000) };
  const cut = promptCut(input({ files }));
  expect(cut?.parts).toEqual(['files']);
  expect(cut?.shown).toBeLessThanOrEqual(PROMPT_CHARACTERS);
  expect(cut?.whole).toBeGreaterThan(240_000);
  expect(promptCut(input({ prompt: 'mind the slope. '.repeat(3000) }))?.parts).toEqual(['prompt']);
  expect(promptCut(input({ files, prompt: 'mind the slope. '.repeat(3000) }))?.parts).toEqual(['files', 'prompt']);
});
