import { expect, test } from 'vitest';
import { visible, visiblePieces } from '../../../domain/text/visible.ts';

test.each([
  ['plain, with äöü, 漢字 and 🙂', 'plain, with äöü, 漢字 and 🙂'],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['of\r\nWindows', 'of\nWindows'],
  ['a\x1b[31mred', 'a[ESC][31mred'],
  ['safe\u202Etxt.exe', 'safe[U+202E]txt.exe'],
  ['a\u200b\u200bb', 'a[U+200B U+200B]b'],
  ['\0', '[NUL]'],
  ['\x7f', '[DEL]'],
  ['half \ud800', 'half [U+D800]'],
  ['\u{e0041}', '[U+E0041]'],
  ['return\rhere', 'return[CR]here'],
  ['\u2028', '[U+2028]'],
])('%j is shown as %j', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test('a run of hidden characters is one piece', () => {
  expect(visiblePieces(`x${'\u202e'.repeat(1000)}y`)).toHaveLength(3);
});

test('a megabyte of hidden characters between others is read through', () => {
  expect(visiblePieces('a\x1b'.repeat(500_000))).toHaveLength(1_000_000);
});
