import { expect, test } from 'vitest';
import { readSets } from '../../../cli/arguments/read-sets.ts';

test('values are read as YAML, by the keys of the task', () => {
  const sets = [
    'search.parent=best',
    'search.window=3',
    'abort.audit.first=2',
    'search.proposer={name: random}',
    'abort.audit.share=.5',
  ];
  expect(readSets(sets)).toEqual({
    search: { parent: 'best', window: 3, proposer: { name: 'random' } },
    abort: { audit: { first: 2, share: 0.5 } },
  });
});

test.each([
  'parent=best',
  'search=best',
  'search.parent',
  '=best',
  'search..parent=best',
  'run.command=true',
  'search.parent={',
])('what names no value of the method is refused: %s', (text) => {
  expect(() => readSets([text])).toThrow(/^Expected --set /);
});
