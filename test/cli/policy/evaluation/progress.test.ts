import { expect, test } from 'vitest';
import { createEvaluationPrinter } from '../../../../cli/policy/evaluation/progress.ts';
import type { Io } from '../../../../cli/io.ts';

test('prints the progress every few seconds, and the reason of a wait after a moment and then each minute', () => {
  let text = '';
  let seconds = 0;
  const io = { stderr: { write: (line: string) => (text += line) } } as unknown as Io;
  const print = createEvaluationPrinter(io, { samples: 8, now: () => seconds });
  for (; seconds < 80; seconds += 1) {
    const samples = Math.min(4, seconds);
    print({ baselineRuns: 1, samples, waits: samples < 4 ? null : '2 trials wait for a slot' });
  }
  expect(text.trim().split('\n')).toEqual([
    '1 baseline run, 0 of 8 samples',
    '1 baseline run, 4 of 8 samples',
    '1 baseline run, 4 of 8 samples; 2 trials wait for a slot',
    '1 baseline run, 4 of 8 samples; 2 trials wait for a slot',
  ]);
});
