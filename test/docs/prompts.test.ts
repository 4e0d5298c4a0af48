import { expect, test } from 'vitest';
import { CONTEXTS } from '../../domain/search/context/table.ts';
import { readDoc, rowsOf, wordsIn } from './tables.ts';

const PAGE = 'docs/guides/models/prompts.md';

test('the page of prompts lists all parts in their order, with their tokens and their first cuts', async () => {
  const rows = rowsOf(await readDoc(PAGE)).map((row) => row.map((cell) => cell.trim()));
  const listed = rows.filter(([, tokens = '']) => /^\d+$/.test(tokens));
  expect(listed).toEqual(CONTEXTS.history.parts.map(({ name, tokens, cuts }) => [name, String(tokens), cuts]));
});

test('the page of prompts takes ten minutes', async () => {
  expect(wordsIn(await readDoc(PAGE))).toBeLessThanOrEqual(2000);
});
