import { describe, expect, it } from 'vitest';
import { paintDiff, unifiedDiff } from '../../../cli/render/diff.ts';
import { styleFor } from '../../../cli/render/text/style.ts';

const file = (text: string) => Buffer.from(text);

describe('a diff of candidates', () => {
  it('is a unified diff that patch and git take, of the files that differ', () => {
    const diff = unifiedDiff(
      { 'train.mjs': file('a\nLR = 1\nb\n'), same: file('x') },
      { 'train.mjs': file('a\nLR = 2\nb\n'), same: file('x') },
    );
    expect(diff).toBe('--- a/train.mjs\n+++ b/train.mjs\n@@ -1,3 +1,3 @@\n a\n-LR = 1\n+LR = 2\n b\n');
  });

  it('shows files that came and went', () => {
    const diff = unifiedDiff({ old: file('x\n') }, { new: file('y\n') });
    expect(diff).toContain('--- /dev/null\n+++ b/new\n');
    expect(diff).toContain('--- a/old\n+++ /dev/null\n');
  });

  it('names binary files and does not print them', () => {
    expect(unifiedDiff({ w: Buffer.from([0, 1]) }, { w: Buffer.from([0, 2]) })).toBe(
      'Binary files a/w and b/w differ\n',
    );
  });

  it('is harmless on a terminal', () => {
    const lines = paintDiff(unifiedDiff({ f: file('') }, { f: file('\x1b]0;owned\x07hi\n') }), styleFor(false));
    expect(lines.join('\n')).not.toContain('\x1b');
    expect(lines).toContain('+hi');
  });
});
