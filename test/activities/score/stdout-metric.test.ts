import { expect, test } from 'vitest';
import { readStdoutMetric } from '../../../activities/score.ts';
import type { ScoreContext } from '../../../activities/score/types.ts';
import { Metric } from '../../../domain/schema/metric.ts';
import { withinTime } from '../../../infra/within-time.ts';

/** The score of a run that left that. */
function scored(run: { stdoutTail: string | null; logTail: string | null }) {
  const metric = Metric.parse({ name: 'loss', direction: 'minimize', from: 'stdout' });
  const task = { metric, secondary: [] };
  const score = readStdoutMetric({
    deps: { scoring: { withinTime } },
    version: { task },
    run,
  } as unknown as ScoreContext);
  return score.ok ? score.value : score.failure.label;
}

test('the metric is read from stdout alone, and of a run from before, which stored none, from its log', () => {
  expect(scored({ stdoutTail: 'loss: 0.12345\n', logTail: 'loss: 0.12\n345\nloss: 9\n' })).toBe(0.12345);
  expect(scored({ stdoutTail: '', logTail: 'loss: 9\n' })).toBe('no-metric');
  expect(scored({ stdoutTail: null, logTail: 'loss: 9\n' })).toBe(9);
});
