import { describe, expect, it, test } from 'vitest';
import { paintDiff } from '../../../cli/render/diff.ts';
import { describeAllFailing } from '../../../cli/render/failing.ts';
import type { Failing } from '../../../cli/temporal/failing.ts';

describe('a diff', () => {
  const DIFF = '--- a/f\n+++ b/f\n@@ -0,0 +1,1 @@\n+\x1b]0;owned\x07hi\n';

  it('is harmless on a terminal', () => {
    const lines = paintDiff(DIFF, { colours: false });
    expect(lines.join('\n')).not.toContain('\x1b');
    expect(lines).toContain('+hi');
  });

  it('has colours for a terminal', () => {
    expect(paintDiff(DIFF, { colours: true }).at(-1)).toBe('\x1b[32m+hi\x1b[0m');
  });
});

describe('a list of failing activities', () => {
  const NOW = new Date('2026-11-01T12:00:00Z');
  const failing = (trial: number | null, more: Partial<Failing> = {}): Failing => ({
    workflowId: `toy/${trial}`,
    trial,
    activity: 'propose',
    attempt: 3,
    message: 'connection refused',
    since: '2026-11-01T11:59:00Z',
    nextAttemptSeconds: 30,
    ...more,
  });

  test('has one line for equal failures of several trials: their number, the first ones, the worst values', () => {
    const alike = [1, 2, 3, 4, 5, 6, 7].map((n) => failing(n));
    alike[3] = failing(4, { attempt: 9, since: '2026-11-01T11:50:00Z', nextAttemptSeconds: 5 });
    alike[4] = failing(5, { since: null, nextAttemptSeconds: null });
    expect(describeAllFailing(alike, NOW)).toEqual([
      'propose of 7 trials (#1, #2, #3, #4, #5, …) fails, attempt 9, for 10 min, again in 5.0 s: connection refused',
    ]);
  });

  test('has a line of its own for a different failure, and for one of the research', () => {
    const lines = describeAllFailing(
      [failing(null), failing(1), failing(2, { message: 'timeout' }), failing(3, { activity: 'score' })],
      NOW,
    );
    expect(lines.map((line) => line.split(' fails')[0])).toEqual([
      'propose of the research',
      'propose of #1',
      'propose of #2',
      'score of #3',
    ]);
  });
});
