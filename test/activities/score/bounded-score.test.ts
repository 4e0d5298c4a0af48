import { expect, test } from 'vitest';
import { boundedScore } from '../../../activities/score/bounded-score.ts';
import { TASK } from '../../cli/support/lineage.ts';

const named = (name: string) => ({ ...TASK, metric: { ...TASK.metric, name } });

test('a metric that was reported is the score', () => {
  expect(boundedScore(named('loss'), { metrics: { loss: 2 }, notes: null })).toMatchObject({ ok: true, value: 2 });
});

test.each(['loss', '__proto__', 'constructor'])(
  'a metric %s that was not reported is missing, whatever objects inherit',
  (name) => {
    expect(boundedScore(named(name), { metrics: { other: 1 }, notes: null })).toMatchObject({
      ok: false,
      failure: { label: 'no-metric', message: `expected the evaluator to report ${name}, got other` },
    });
  },
);
