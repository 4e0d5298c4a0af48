import { expect, it } from 'vitest';
import { paintDiff } from '../../../cli/render/diff.ts';

const DIFF = '--- a/f\n+++ b/f\n@@ -0,0 +1,1 @@\n+\x1b]0;owned\x07hi\n';

it('a diff is harmless on a terminal', () => {
  const lines = paintDiff(DIFF, { colours: false });
  expect(lines.join('\n')).not.toContain('\x1b');
  expect(lines).toContain('+hi');
});

it('a diff has colours for a terminal', () => {
  expect(paintDiff(DIFF, { colours: true }).at(-1)).toBe('\x1b[32m+hi\x1b[0m');
});
