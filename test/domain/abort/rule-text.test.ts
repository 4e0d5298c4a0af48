import { expect, test } from 'vitest';
import { type AbortChoice, ruleText } from '../../../domain/abort/table.ts';

test.each([
  ['matched-time', 'matched-time'],
  ['asha', 'asha'],
  [{ name: 'asha' }, 'asha'],
  [{ name: 'asha', eta: 3 }, 'asha'],
  [{ name: 'asha', eta: 4 }, 'asha {"eta":4}'],
] as [AbortChoice, string][])('%j is told from rules that decide otherwise as %s', (choice, text) => {
  expect(ruleText(choice)).toBe(text);
});
