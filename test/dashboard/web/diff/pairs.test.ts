import { describe, expect, it } from 'vitest';
import { linesOf } from '../../../../dashboard/web/parts/diff/lines.ts';
import { pairsOf } from '../../../../dashboard/web/parts/diff/pairs.ts';
import { splitRows } from '../../../../dashboard/web/parts/diff/split.ts';
import { diffWords } from '../../../../dashboard/web/parts/diff/diff-words.ts';

const hunk = (...lines: string[]) => linesOf({ oldStart: 10, newStart: 12, lines });
const facing = (...lines: string[]) => {
  const all = hunk(...lines);
  return splitRows(all, pairsOf(all)).map(({ left, right }) => [
    left === null ? null : all[left]?.text,
    right === null ? null : all[right]?.text,
  ]);
};

describe('lines of a hunk', () => {
  it('are numbered in both files', () => {
    expect(hunk(' a', '-b', '+c', '+d', ' e').map(({ kind, oldNo, newNo }) => [kind, oldNo, newNo])).toEqual([
      ['same', 10, 12],
      ['removed', 11, null],
      ['added', null, 13],
      ['added', null, 14],
      ['same', 12, 15],
    ]);
  });

  it('do not count the remark that no newline ends the file', () => {
    const lines = hunk('-a', '\\ No newline at end of file', '+a', ' b');
    expect(lines.map(({ kind }) => kind)).toEqual(['removed', 'note', 'added', 'same']);
    expect(lines[3]).toMatchObject({ oldNo: 11, newNo: 13 });
  });
});

describe('pairs of changed lines', () => {
  it('join a line with its new version, though lines were inserted between', () => {
    expect(pairsOf(hunk('-lr = 0.1', '-wd = 0.01', '+import math', '+lr = 0.2', '+wd = 0.05'))).toEqual([
      [0, 3],
      [1, 4],
    ]);
  });

  it('leave lines apart that have little in common', () => {
    expect(pairsOf(hunk('-return model(x)', '+for step in range(10):'))).toEqual([]);
  });

  it('join lines across the remark that no newline ends the file', () => {
    expect(pairsOf(hunk('-lr = 0.1', '\\ No newline at end of file', '+lr = 0.2'))).toEqual([[0, 2]]);
  });

  it('never cross, and never join two blocks', () => {
    const lines = hunk('-a = 1', '-b = 2', '+b = 3', '+a = 4', ' same', '-c = 1', ' same', '+c = 2');
    const pairs = pairsOf(lines);
    expect(pairs).toHaveLength(1);
    expect(pairs.flat().every((place) => place < 4)).toBe(true);
  });

  it('are made of a block of thousands', () => {
    const removed = Array.from({ length: 2000 }, (_, n) => `-value ${n} = ${n}`);
    const added = Array.from({ length: 2000 }, (_, n) => `+value ${n} = ${n + 1}`);
    expect(pairsOf(hunk(...removed, ...added))).toHaveLength(2000);
  });
});

describe('rows side by side', () => {
  it('put a line beside its new version, and a new line beside nothing', () => {
    expect(facing(' top', '-lr = 0.1', '+import math', '+lr = 0.2', ' end')).toEqual([
      ['top', 'top'],
      [null, 'import math'],
      ['lr = 0.1', 'lr = 0.2'],
      ['end', 'end'],
    ]);
  });

  it('put lines without a pair beside each other, in order', () => {
    expect(facing('-return model(x)', '-done', '+for step in range(10):')).toEqual([
      ['return model(x)', 'for step in range(10):'],
      ['done', null],
    ]);
  });

  it('keep every line exactly once', () => {
    const lines = ['-a = 1', '-b', '+x', '+a = 2', '+y', ' s', '+z', '-q', '+q 1'];
    const all = hunk(...lines);
    const rows = splitRows(all, pairsOf(all));
    const changed = rows.flatMap(({ left, right }) => (left === right ? [left] : [left, right]));
    expect(changed.filter((place) => place !== null).sort((a, b) => a - b)).toEqual(all.map((_, place) => place));
  });
});

describe('parts of a line that changed', () => {
  it('mark only the words that differ', () => {
    expect(diffWords('lr = 0.1 * scale', 'lr = 0.25 * scale')).toEqual({
      before: [
        { text: 'lr = 0.', changed: false },
        { text: '1', changed: true },
        { text: ' * scale', changed: false },
      ],
      after: [
        { text: 'lr = 0.', changed: false },
        { text: '25', changed: true },
        { text: ' * scale', changed: false },
      ],
    });
  });

  it('add up to the original lines, with their spaces', () => {
    const [before, after] = ['\tif  a <b :  ', '    if a < b: # why'];
    const parts = diffWords(before, after);
    expect(parts?.before.map(({ text }) => text).join('')).toBe(before);
    expect(parts?.after.map(({ text }) => text).join('')).toBe(after);
  });

  it('are not computed for a line of a megabyte', () => {
    expect(diffWords('x'.repeat(1_000_000), 'y')).toBeNull();
  });
});
