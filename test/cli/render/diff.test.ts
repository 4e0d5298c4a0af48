import { expect, it } from 'vitest';
import { paintDiff } from '../../../cli/render/diff.ts';
import { styleFor } from '../../../cli/render/text/style.ts';

it('a diff is harmless on a terminal', () => {
  const lines = paintDiff('--- a/f\n+++ b/f\n@@ -0,0 +1,1 @@\n+\x1b]0;owned\x07hi\n', styleFor(false));
  expect(lines.join('\n')).not.toContain('\x1b');
  expect(lines).toContain('+hi');
});
