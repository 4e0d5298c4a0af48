import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../../domain/edit/apply-edits.ts';
import type { Edit } from '../../../../domain/edit/edit.ts';
import { createRandom } from '../../../../domain/statistics/random.ts';

const PATH = 'a.txt';
const after = (file: string, edit: Omit<Edit, 'path'>): string => {
  const result = applyEdits({ [PATH]: file }, [{ path: PATH, ...edit } as Edit], [PATH]);
  return result.ok ? (result.files[PATH] ?? '') : result.reason;
};

describe('the line ends of a file', () => {
  it.each([
    [
      'of two kinds',
      'lr = 1\r\nsteps = 2\r\n# end\n',
      'lr = 1\nsteps = 2',
      'lr = 3\nsteps = 2',
      'lr = 3\r\nsteps = 2\r\n# end\n',
    ],
    ['of two kinds within the edit', 'a\r\nb\nc\r\n', 'a\nb\nc', 'a\nx\nc', 'a\r\nx\nc\r\n'],
    ['of three kinds', 'a\rb\r\nc\nd', 'b', 'x', 'a\rx\r\nc\nd'],
    ['of old systems', 'a\rb\rc\r', 'b\nc', 'x\ny', 'a\rx\ry\r'],
    ['around an added line', 'a\r\nb\nc\n', 'a', 'a\nx', 'a\r\nx\r\nb\nc\n'],
    ['around several added lines', 'a\nb\r\nc\n', 'b', 'b\nx\ny', 'a\nb\r\nx\r\ny\r\nc\n'],
    ['around a removed line', 'a\r\nb\nc\n', 'b', '', 'a\r\nc\n'],
    ['around removed lines', 'a\r\nb\nc\r\nd', 'b\nc', 'x', 'a\r\nx\r\nd'],
    ['behind the last line, which has none', 'a\r\nb', 'b', 'b\nc', 'a\r\nb\r\nc'],
    ['before the last line, which is removed', 'a\r\nb', 'b', '', 'a'],
    ['before the only line', 'a', 'a', 'x\na', 'x\na'],
    ['in a part of a line', 'a = 1 # x\r\nb\n', 'a = 1', 'a = 2', 'a = 2 # x\r\nb\n'],
    ['behind a part of a line', '  a = 1 # x\r\nb\n', 'a = 1', 'a\nc', '  a\r\n  c # x\r\nb\n'],
  ])('%s stay', (_name, file, search, replace, expected) => {
    expect(after(file, { search, replace })).toBe(expected);
    expect(after(file, { search: search.replaceAll('\n', '\r\n'), replace: replace.replaceAll('\n', '\r\n') })).toBe(
      expected,
    );
  });

  it.each([
    ['all with two characters', 'a\r\nb\r\n', 'a\nc\n', 'a\r\nc\r\n'],
    ['all of old systems', 'a\rb\r', 'a\nc\n', 'a\rc\r'],
    ['of two kinds', 'a\r\nb\nc\r\n', 'a\nx\nb\nc\n', 'a\r\nx\r\nb\nc\r\n'],
    ['of two kinds, the same line with each', 'a\r\na\nb\n', 'a\na\nc\n', 'a\r\na\nc\n'],
    ['none at the end', 'a\r\nb', 'a\nc\n', 'a\r\nc'],
    ['none at all', 'a', 'b\n', 'b'],
    ['of an empty file', '', 'b\n', 'b\n'],
    ['of its own', 'a\r\nb\n', 'x\r\ny\n', 'x\r\ny\n'],
  ])('stay in a whole file: %s', (_name, file, content, expected) => {
    expect(after(file, { content })).toBe(expected);
  });

  it('are neither a reason to refuse an edit nor a change by themselves', () => {
    expect(after('a\r\nb\n', { search: 'x', replace: 'y' })).toContain('no line of the file is "x"');
    expect(after('a\r\nb\n', { content: 'a\nb\n' })).toContain('the edits leave every file as it was');
  });

  it('stay, whatever lines are removed and added', () => {
    const random = createRandom(7);
    const ends = ['\n', '\r\n', '\r'];
    for (let round = 0; round < 500; round += 1) {
      const lines = Array.from({ length: 1 + random.below(8) }, (_, i) => `line ${i}`);
      const file = lines.map((line) => line + (ends[random.below(3)] ?? '')).join('');
      const from = random.below(lines.length);
      const to = from + 1 + random.below(lines.length - from);
      const put = Array.from({ length: 1 + random.below(4) }, (_, i) => `new ${i}`);
      const result = after(file, { search: lines.slice(from, to).join('\n'), replace: put.join('\n') });
      const pairs = (text: string): string[] => text.match(/[^\r\n]+(?:\r\n|\n|\r)/g) ?? [];
      const before = pairs(file);
      expect(pairs(result).slice(0, from)).toEqual(before.slice(0, from));
      expect(pairs(result).slice(from + put.length)).toEqual(before.slice(to));
      expect(
        pairs(result)
          .slice(from, from + put.length)
          .map((line) => line.trim()),
      ).toEqual(put);
    }
  });
});

describe('a byte order mark', () => {
  const MARK = '\ufeff';
  it.each<[string, Omit<Edit, 'path'>]>([
    ['a SEARCH text without it', { search: 'lr = 1', replace: 'lr = 2' }],
    ['a SEARCH text with it', { search: `${MARK}lr = 1`, replace: `${MARK}lr = 2` }],
    ['a SEARCH text with it, and a REPLACE without', { search: `${MARK}lr = 1`, replace: 'lr = 2' }],
    ['a whole file without it', { content: 'lr = 2\nb\n' }],
    ['a whole file with it', { content: `${MARK}lr = 2\nb\n` }],
  ])('stays with %s', (_name, edit) => {
    expect(after(`${MARK}lr = 1\nb\n`, edit)).toBe(`${MARK}lr = 2\nb\n`);
  });
});
