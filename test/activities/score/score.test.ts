import { describe, expect, test } from 'vitest';
import { boundedScore } from '../../../activities/score/bounded-score.ts';
import { TASK } from '../../cli/support/lineage.ts';
import { readStdoutMetric } from '../../../activities/score.ts';
import type { ScoreContext } from '../../../activities/score/score-context.ts';
import { Metric } from '../../../domain/schema/metric.ts';
import { withinTime } from '../../../infra/within-time.ts';
import { addArtefactHint } from '../../../activities/score/ask-evaluator.ts';
import type { Task } from '../../../domain/task/task.ts';
import type { Failure, TrialKind } from '../../../domain/trial.ts';

describe('a score', () => {
  const named = (name: string) => ({ ...TASK, metric: { ...TASK.metric, name } });

  test('a metric that was reported is the score', () => {
    expect(boundedScore(named('loss'), { metrics: { loss: 2 }, notes: null })).toMatchObject({ ok: true, value: 2 });
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1e151])(
    'a metric that is %d ends the trial as diverged',
    (loss) => {
      expect(boundedScore(named('loss'), { metrics: { loss }, notes: null })).toMatchObject({
        ok: false,
        status: 'diverged',
        failure: { label: 'metric-not-finite' },
      });
    },
  );

  test.each(['loss', '__proto__', 'constructor'])(
    'a metric %s that was not reported is missing, whatever objects inherit',
    (name) => {
      expect(boundedScore(named(name), { metrics: { other: 1 }, notes: null })).toMatchObject({
        ok: false,
        failure: { label: 'no-metric', message: `expected the evaluator to report ${name}, got other` },
      });
    },
  );
});

describe('a metric on stdout', () => {
  /** The score of a run with this output. */
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

  test('the metric is read from stdout alone, or from the log of an older run that stored no stdout', () => {
    expect(scored({ stdoutTail: 'loss: 0.12345\n', logTail: 'loss: 0.12\n345\nloss: 9\n' })).toBe(0.12345);
    expect(scored({ stdoutTail: '', logTail: 'loss: 9\n' })).toBe('no-metric');
    expect(scored({ stdoutTail: null, logTail: 'loss: 9\n' })).toBe(9);
    expect(scored({ stdoutTail: 'loss: 9\nloss: nan\n', logTail: null })).toBe('metric-not-finite');
  });
});

describe('artefacts that nobody declared', () => {
  const messageOf = (
    change: { kind?: TrialKind; label?: Failure['label']; artefacts?: Task['run']['artefacts'] } = {},
  ) => {
    const { kind = 'baseline', label = 'candidate-protocol', artefacts = [] } = change;
    const task = { evaluator: { type: 'interactive' }, run: { artefacts } } as unknown as Task;
    return addArtefactHint({ label, message: 'it said nothing' }, { task, kind }).message;
  };

  test('the message hints at them if an unmodified version cannot answer and its task declares none', () => {
    expect(messageOf()).toBe(
      'it said nothing (the answering program sees only files of its run that run.artefacts declares, ' +
        'and the task declares none)',
    );
  });

  test('a candidate, a task that declares artefacts, and another failure get no hint', () => {
    expect(messageOf({ kind: 'search' })).toBe('it said nothing');
    expect(messageOf({ artefacts: [{ path: 'model', maxMb: 1 }] })).toBe('it said nothing');
    expect(messageOf({ label: 'out-of-memory' })).toBe('it said nothing');
  });
});
