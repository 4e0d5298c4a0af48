import { expect, test } from 'vitest';
import { answerFormat, ANSWER_FORMAT, describeEditableLines } from '../../../domain/prompt/answer-format.ts';
import type { PromptInput } from '../../../domain/prompt/prompt-input.ts';
import { EditRules } from '../../../domain/schema/edits.ts';

const input = (edits: object | null, more: Partial<PromptInput> = {}): PromptInput => ({
  task: {
    name: 't',
    description: 'd',
    metric: { name: 'loss', direction: 'minimize' },
    ...(edits === null ? {} : { edits: EditRules.parse(edits) }),
  },
  prompt: null,
  files: { 'a.py': 'x\n# EVOLVE-BLOCK-START\ny\nz\n# EVOLVE-BLOCK-END\n', 'b.py': 'free\n' },
  parent: null,
  incumbent: null,
  baseline: null,
  history: [],
  notes: [],
  ...more,
});

test('without rules the form is the one of all tasks before', () => {
  expect(answerFormat(input(null))).toBe(ANSWER_FORMAT);
  expect(answerFormat(input({}))).toBe(ANSWER_FORMAT);
  expect(ANSWER_FORMAT).toContain('Only the files shown to you may be changed; no new ones may be made. If the lines');
  expect(describeEditableLines(input({}))).toBe('');
});

test('new and deleted files are described with their globs and forms', () => {
  const text = answerFormat(input({ create: ['lib/*.py'], remove: ['b.py'], mostNewFiles: 3 }));
  expect(text).toContain('at most 3 new ones match lib/*.py; those that match b.py may be deleted.');
  expect(text).toContain('DELETE path/to/file\nIf the lines themselves hold');
  expect(answerFormat(input({ remove: ['b.py'] }))).toContain('no new ones may be made; those that match b.py');
});

test('the lines of regions are named for each file that has some', () => {
  expect(describeEditableLines(input({ regions: true }))).toContain('\n- a.py: lines 3–4 (region 1)\n');
  const files = Object.fromEntries(
    Array.from({ length: 500 }, (_, i) => [`${i}.py`, '# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-END\n']),
  );
  expect(describeEditableLines(input({ regions: true }, { files })).length).toBeLessThan(2500);
});

test('a model that answers with tool calls is told of the tool instead of blocks', () => {
  const text = answerFormat(input({ create: ['*.py'] }, { byTools: true }));
  expect(text).toContain('one call of the tool propose');
  expect(text).toContain('new ones match *.py');
  expect(text).not.toContain('SEARCH');
});
