import { describe, expect, test } from 'vitest';
import { plainMarkdown } from '../../../domain/text/markdown.ts';
import { HOSTILE } from './hostile-markdown.ts';

/** What CommonMark makes of a text without marks of its own: an escaped character is the character. */
const shown = (markdown: string): string => markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');

describe('foreign text in Markdown', () => {
  test.each(HOSTILE)('is shown as it is: %s', (text) => {
    expect(shown(plainMarkdown(text))).toBe(text);
  });

  test.each(HOSTILE)('leaves no mark without its backslash: %s', (text) => {
    const bare = plainMarkdown(text).replace(/\\[!-/:-@[-`{-~]/g, 'x');
    expect(bare).not.toMatch(/[\\`*_{}[\]<>#|~!&$^]|[a-z]:\S|\bwww\.|^[-+](?!\d)|^\d+[.)](\s|$)/i);
  });

  test.each([
    ['a sentence', 'the learning rate goes from 0.1 to 0.05 (3 times); it "waits", at -1.5 %'],
    ['a reason', 'waiting: budget.trials is spent'],
    ['a list that is none', 'a - b + c 1. d'],
    ['a time', '19:22:01 UTC, 1.5 h'],
    ['a number', '-0.35 sd'],
  ])('is left alone where it has none: %s', (_, text) => {
    expect(plainMarkdown(text)).toBe(text);
  });

  test('is one line without control characters', () => {
    expect(plainMarkdown('a\n# b\x1b[31m\n\n\tc')).toBe('a \\# b c');
  });
});
