import { execFileSync } from 'node:child_process';
import { describe, expect, it, test } from 'vitest';
import { plainMarkdown } from '../../../domain/text/markdown.ts';
import { HOSTILE } from './hostile-markdown.ts';
import { sanitize, oneLine } from '../../../domain/text/sanitize.ts';
import { visible, visiblePieces } from '../../../domain/text/visible.ts';
import { nearestKey } from '../../../domain/text/nearest-key.ts';
import { plural } from '../../../domain/text/plural.ts';
import { shellWord } from '../../../domain/text/shell-word.ts';

/** The text that CommonMark shows for a text without marks: an escaped character is the character. */
const shown = (markdown: string): string => markdown.replace(/\\([!-/:-@[-`{-~])/g, '$1');

describe('foreign text in Markdown', () => {
  test.each(HOSTILE)('is shown unchanged: %s', (text) => {
    expect(shown(plainMarkdown(text))).toBe(text);
  });

  test.each(HOSTILE)('has no mark without a backslash: %s', (text) => {
    const bare = plainMarkdown(text).replace(/\\[!-/:-@[-`{-~]/g, 'x');
    expect(bare).not.toMatch(/[\\`*_{}[\]<>#|~!&$^]|[a-z]:\S|\bwww\.|^[-+](?!\d)|^\d+[.)](\s|$)/i);
  });

  test.each([
    ['a sentence', 'the learning rate goes from 0.1 to 0.05 (3 times); it "waits", at -1.5 %'],
    ['a reason', 'waiting: budget.trials is spent'],
    ['dashes and numbers that are no list', 'a - b + c 1. d'],
    ['a time', '19:22:01 UTC, 1.5 h'],
    ['a number', '-0.35 sd'],
  ])('stays unchanged without marks: %s', (_, text) => {
    expect(plainMarkdown(text)).toBe(text);
  });

  test('is one line without control characters', () => {
    expect(plainMarkdown('a\n# b\x1b[31m\n\n\tc')).toBe('a \\# b c');
  });
});

describe('foreign text', () => {
  it('loses every escape sequence and control character before it reaches a terminal', () => {
    expect(sanitize('a\x1b[31mred\x1b[0m\x1b]0;title\x07b\x00c\x9bd\u202ee')).toBe('aredbcde');
    expect(sanitize('one\r\ntwo\rthree\tfour')).toBe('one\ntwo\nthree\tfour');
  });

  it('becomes one line through oneLine', () => {
    expect(oneLine('  LR 0.1 →\n\n 0.05\t(half) ')).toBe('LR 0.1 → 0.05 (half)');
  });
});

describe('hidden characters', () => {
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

  test('a megabyte with hidden characters between others is read to its end', () => {
    expect(visiblePieces('a\x1b'.repeat(500_000))).toHaveLength(1_000_000);
  });
});

describe('the nearest key', () => {
  const KEYS = ['trials', 'direction', 'seconds', 'minDelta', 'mutable', 'min'];

  test.each([
    ['trails', 'trials'],
    ['Trials', 'trials'],
    ['min_delta', 'minDelta'],
    ['dir', 'direction'],
    ['secs', 'seconds'],
    ['mutable_files', 'mutable'],
    ['mni', 'min'],
    ['windows', null],
    ['', null],
    ['x'.repeat(5000), null],
  ])('the name most like %s is %s', (got, nearest) => expect(nearestKey(got, KEYS)).toBe(nearest));

  test('no key is nearest among none', () => expect(nearestKey('trials', [])).toBeNull());
});

describe('a plural', () => {
  it('has one noun for one and another for none and many', () => {
    expect([0, 1, 2].map((n) => plural(n, 'run'))).toEqual(['0 runs', '1 run', '2 runs']);
  });
});

describe('a word for a shell', () => {
  test('an ordinary path stays as it is', () => {
    expect(shellWord('~/tasks/my-task.v2')).toBe('~/tasks/my-task.v2');
  });

  test.each(['Bad Name', "it's", '$HOME', 'a;b', '', '*', 'a\nb'])('a shell reads %j back', (word) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8' })).toBe(word);
  });
});
