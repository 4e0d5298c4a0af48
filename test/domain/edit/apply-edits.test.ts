import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../domain/edit/apply-edits.ts';
import type { Edit } from '../../../domain/edit/edit.ts';
import { findMatches, type Found } from '../../../domain/edit/apply/find-matches.ts';
import { createRandom } from '../../../domain/statistics/random.ts';

const files = { 'a.js': 'x = 1\nxx = 10\ny = 2\n', 'lib/b.js': 'b\n' };
const mutable = ['a.js', 'lib/b.js'];
const apply = (...edits: Edit[]): ReturnType<typeof applyEdits> => applyEdits(files, edits, mutable);
const swap = (search: string, replace: string): Edit => ({ path: 'a.js', search, replace });
const reason = (result: ReturnType<typeof applyEdits>): string =>
  result.ok ? 'applied' : `${result.label}: ${result.reason}`;

describe('applyEdits', () => {
  it('replaces whole lines first, then parts, and leaves other files alone', () => {
    expect(apply(swap('x = 1', 'x = 3'))).toEqual({ ok: true, files: { ...files, 'a.js': 'x = 3\nxx = 10\ny = 2\n' } });
    expect(apply(swap('= 10', '= 11'))).toMatchObject({ files: { 'a.js': 'x = 1\nxx = 11\ny = 2\n' } });
    expect(apply(swap('y = 2', ''))).toMatchObject({ files: { 'a.js': 'x = 1\nxx = 10\n' } });
    expect(apply(swap('x = 1\nxx = 10', 'z'))).toMatchObject({ files: { 'a.js': 'z\ny = 2\n' } });
  });

  it('takes the replacement as it stands', () => {
    expect(apply(swap('x = 1', "x = '$&$1$$'"))).toMatchObject({ files: { 'a.js': "x = '$&$1$$'\nxx = 10\ny = 2\n" } });
    expect(apply(swap('= 10', '$`'))).toMatchObject({ files: { 'a.js': 'x = 1\nxx $`\ny = 2\n' } });
  });

  it('applies edits in order, each on the result of the one before', () => {
    expect(apply(swap('x = 1', 'x = 7'), swap('x = 7', 'x = 8'))).toMatchObject({
      files: { 'a.js': 'x = 8\nxx = 10\ny = 2\n' },
    });
  });

  it('does not change its input', () => {
    const own = { 'a.js': 'x\n' };
    applyEdits(own, [{ path: 'a.js', content: 'y\n' }], ['a.js']);
    expect(own).toEqual({ 'a.js': 'x\n' });
  });

  it.each([
    [
      swap('x = 5', 'z'),
      'edit-does-not-apply: the SEARCH text for a.js matches 0 times, expected once; ' +
        'no line of the file is "x = 5"; the nearest is line 1: "x = 1"',
    ],
    [
      swap('  y = 2', 'z'),
      'matches 0 times, expected once; line 3 of the file differs from "  y = 2" only in white space; copy it exactly',
    ],
    [
      swap('y = 2\nx = 1', 'z'),
      'matches 0 times, expected once; each of its lines is in the file, but not in this order',
    ],
    [
      swap(' = ', 'z'),
      'edit-does-not-apply: the SEARCH text for a.js matches 3 times, expected once; ' +
        'add lines around it until it is unique',
    ],
    [swap('', 'z'), 'edit-does-not-apply: the SEARCH text for a.js is empty; expected lines of the file'],
    [swap('x = 1', 'x = 1'), 'no-change: expected at least one change; the edits leave every file as it was'],
    [{ path: 'a.js', content: files['a.js'] }, 'no-change'],
    [{ path: 'a.js', content: 'a\0b' }, 'edit-does-not-apply: a.js would hold a NUL character; expected text'],
    [{ path: 'a.js', content: 'a\ud800b' }, 'a.js would hold half a character'],
    [
      // The other file has two bytes.
      { path: 'a.js', content: 'ä'.repeat(2 ** 19) },
      'edit-does-not-apply: expected at most 1048576 bytes of mutable files in all, got 1048578; ' +
        'the largest is "a.js" with 1048576',
    ],
    [
      { path: 'c.js', content: 'x' },
      'edit-outside-mutable: expected edits of a.js, lib/b.js only, got "c.js": it is not one of them',
    ],
  ] as [Edit, string][])('refuses %j', (edit, expected) => {
    expect(reason(apply(edit))).toContain(expected);
  });

  it.each([
    '../a.js',
    '/etc/passwd',
    'lib/../../a',
    'lib\\b.js',
    'C:/a',
    '~/a',
    'a.js\0',
    '',
    '__proto__',
    'constructor',
    'toString',
    'A.js',
    'lib',
    'lib/b.js/',
  ])('refuses the path %j', (path) => {
    expect(apply({ path, content: 'x' })).toMatchObject({ ok: false, label: 'edit-outside-mutable' });
  });

  it('refuses a hostile path even if the task lists it', () => {
    expect(applyEdits({ '../a': 'x' }, [{ path: '../a', content: 'y' }], ['../a'])).toMatchObject({
      label: 'edit-outside-mutable',
    });
  });

  it('is all or nothing', () => {
    expect(apply(swap('x = 1', 'x = 3'), swap('gone', ''))).toMatchObject({ ok: false });
  });

  it('reports the number of matches of a SEARCH text that matches twice', () => {
    const twice = applyEdits({ 'a.js': 'x\nx\n' }, [swap('x', 'y')], ['a.js']);
    expect(reason(twice)).toContain('matches 2 times');
  });

  it('keeps the line ends of the file', () => {
    const crlf = { 'a.js': 'x = 1\r\ny = 2\r\n' };
    expect(applyEdits(crlf, [swap('x = 1\ny = 2', 'x = 3\ny = 2')], ['a.js'])).toMatchObject({
      files: { 'a.js': 'x = 3\r\ny = 2\r\n' },
    });
    expect(applyEdits(crlf, [{ path: 'a.js', content: 'z\n' }], ['a.js'])).toMatchObject({
      files: { 'a.js': 'z\r\n' },
    });
    expect(reason(applyEdits(crlf, [{ path: 'a.js', content: 'x = 1\ny = 2\n' }], ['a.js']))).toContain('no-change');
    const bare = { 'a.js': 'x' };
    expect(applyEdits(bare, [{ path: 'a.js', content: 'z\n' }], ['a.js'])).toMatchObject({ files: { 'a.js': 'z' } });
  });

  it('fills an empty file through an empty SEARCH text', () => {
    expect(applyEdits({ 'a.js': '' }, [swap('', 'new')], ['a.js'])).toMatchObject({ files: { 'a.js': 'new\n' } });
  });

  it('refuses a SEARCH text that matches never, or often, in a large file', () => {
    const large = { 'a.js': 'let a = 1; // some line of code\n'.repeat(25_000) };
    expect(applyEdits(large, [swap('not there at all', 'x')], ['a.js'])).toMatchObject({ ok: false });
    expect(applyEdits(large, [swap('\n', 'x')], ['a.js'])).toMatchObject({ ok: false });
    expect(applyEdits(large, [swap('let a = 1; // some line of code', 'x')], ['a.js'])).toMatchObject({ ok: false });
  });
});

describe('a replacement character (U+FFFD)', () => {
  const old = { 'a.js': 'x = 1\n' };

  it('is refused if an edit adds it', () => {
    const edits = [{ path: 'a.js', search: 'x = 1', replace: 'x = "\ufffd"' }];
    expect(reason(applyEdits(old, edits, ['a.js']))).toMatch(
      /a\.js would hold U\+FFFD.*write such a character as an escape/,
    );
  });

  it('stays if the file holds it already', () => {
    const own = { 'a.js': 'x = "\ufffd"\ny = 1\n' };
    expect(applyEdits(own, [{ path: 'a.js', search: 'y = 1', replace: 'y = 2' }], ['a.js'])).toMatchObject({
      ok: true,
    });
  });
});

describe('the matches of a text', () => {
  function slowly(text: string, search: string): Found {
    const places = Array.from(text, (_, at) => at).filter((at) => text.startsWith(search, at));
    return { count: places.length, first: places[0] ?? -1 };
  }

  it('are those of a comparison at every position, as whole lines and anywhere', () => {
    const random = createRandom(3);
    const draw = (length: number): string => Array.from({ length }, () => 'ab\n'.charAt(random.below(3))).join('');
    for (let round = 0; round < 3000; round += 1) {
      const [text, search] = [draw(random.below(20)), draw(1 + random.below(4))];
      const found = findMatches(text, search);
      expect(found.parts).toEqual(slowly(text, search));
      expect(found.lines).toEqual(slowly(`\n${text}\n`, `\n${search}\n`));
    }
  });
});
