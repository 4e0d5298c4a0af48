import { expect, test } from 'vitest';
import { AXES } from '../../domain/search/axes.ts';
import { codeOf, readDoc, rowsOf, wordsIn } from './tables.ts';

const METHODS = 'docs/concepts/methods.md';

test.each(Object.entries(AXES))('the page of methods names all methods of %s', async (axis, table) => {
  const row = rowsOf(await readDoc(METHODS)).find(([first]) => codeOf(first) === axis);
  const named = (row?.[1] ?? '').split(', ').map(codeOf);
  expect(named.toSorted()).toEqual(Object.keys(table).toSorted());
});

test('the page of methods has at most 2,000 words: ten minutes', async () => {
  expect(wordsIn(await readDoc(METHODS))).toBeLessThanOrEqual(2000);
});
