import { describe, expect, it } from 'vitest';
import { fileDiffs } from '../../../../db/reads/diff/file-diffs.ts';
import { unifiedDiff } from '../../../../db/reads/diff/unified-diff.ts';

const file = (text: string) => Buffer.from(text);

const diffOf = (before: Record<string, Buffer>, after: Record<string, Buffer>): string =>
  unifiedDiff(fileDiffs(before, after));

describe('a diff of candidates', () => {
  it('is a unified diff of the changed files that patch and git accept', () => {
    const diff = diffOf(
      { 'train.mjs': file('a\nLR = 1\nb\n'), same: file('x') },
      { 'train.mjs': file('a\nLR = 2\nb\n'), same: file('x') },
    );
    expect(diff).toBe('--- a/train.mjs\n+++ b/train.mjs\n@@ -1,3 +1,3 @@\n a\n-LR = 1\n+LR = 2\n b\n');
  });

  it('shows added and removed files', () => {
    const diff = diffOf({ old: file('x\n') }, { new: file('y\n') });
    expect(diff).toContain('--- /dev/null\n+++ b/new\n');
    expect(diff).toContain('--- a/old\n+++ /dev/null\n');
  });

  it('names binary files and does not print them', () => {
    expect(diffOf({ w: Buffer.from([0, 1]) }, { w: Buffer.from([0, 2]) })).toBe('Binary files a/w and b/w differ\n');
  });

  it('counts added and removed lines, and names the kind of change of a file', () => {
    const files = fileDiffs(
      { a: file('1\n2\n'), gone: file('x\n'), same: file('s'), w: Buffer.from([0]) },
      { a: file('1\n3\n4\n'), new: file('y\n'), same: file('s'), w: Buffer.from([0, 1]) },
    );
    expect(files.map(({ path, kind, added, removed }) => [path, kind, added, removed])).toEqual([
      ['a', 'changed', 2, 1],
      ['gone', 'removed', 0, 1],
      ['new', 'added', 1, 0],
      ['w', 'binary', 0, 0],
    ]);
    expect(files[0]?.hunks).toMatchObject([{ oldStart: 1, newStart: 1, lines: [' 1', '-2', '+3', '+4'] }]);
  });

  it('treats files with hardly any common line as replaced, without a long search', () => {
    const lines = (name: string) => file(Array.from({ length: 20_000 }, (_, n) => `${name} ${n}\n`).join(''));
    const [found] = fileDiffs({ f: lines('old') }, { f: lines('new') });
    expect(found).toMatchObject({ kind: 'changed', added: 20_000, removed: 20_000 });
    expect(found && unifiedDiff([found])).toMatch(/^--- a\/f\n\+\+\+ b\/f\n@@ -1,20000 \+1,20000 @@\n-old 0\n/);
  });
});
