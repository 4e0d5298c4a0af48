import { describe, expect, it, test } from 'vitest';
import { describeSlots, describeTrials, describeWindow } from '../../view/trials.ts';
import { VIEW } from './support/view.ts';
import { describeEnd, describeKind, describeRace, describeScore } from '../../view/trial/verdict.ts';
import type { AbortRecord } from '../../domain/abort/record.ts';
import { forecastOf } from '../../view/trial/forecast.ts';

test('trials that a person stopped are counted apart from those that could not win', () => {
  const byStatus = { ...VIEW.trials.byStatus, aborted: 3 };
  expect(describeTrials({ ended: 8, running: 0, byStatus, cancelled: 1 })).toBe(
    '8 ended, 0 under way · 4 completed, 1 crashed, 2 stopped early, 1 stopped by a person',
  );
});

test('a window shows the most trials at once, and slots show the busy ones if known', () => {
  expect([describeWindow(1), describeWindow(4), describeWindow(null)]).toEqual([
    '1 trial at once',
    '4 trials at once',
    '–',
  ]);
  expect([describeSlots({ total: 2, leased: 1 }), describeSlots({ total: 4 })]).toEqual(['1 of 2 busy', '4']);
});

describe('a verdict', () => {
  test('the end of a trial is its verdict, its failure label, or its status', () => {
    expect(describeEnd({ status: 'completed', verdict: 'keep', failure: null })).toBe('keep');
    expect(describeEnd({ status: 'completed', verdict: 'none', failure: null })).toBe('completed');
    expect(describeEnd({ status: 'crashed', verdict: 'none', failure: 'exit-code' })).toBe('exit-code');
    expect(describeEnd({ status: 'timed_out', verdict: 'none', failure: null })).toBe('timed out');
  });

  test('a confirm run and a race name their trial', () => {
    expect(describeKind({ kind: 'confirm', ofTrial: 4 })).toBe('confirm #4');
    expect(describeKind({ kind: 'search', ofTrial: null })).toBe('search');
    expect(describeRace({ ofTrial: 4, runs: 1 })).toBe('racing #4 against the best: 1 run so far');
    expect(describeRace({ ofTrial: null, runs: 2 })).toBe(
      'racing the unmodified version against the best: 2 runs so far',
    );
  });

  test('a score that the candidate could have forged is marked; a score without a unit has none', () => {
    expect(describeScore({ value: 1.5, trusted: false }, 'bits')).toBe('1.500 bits untrusted');
    expect(describeScore({ value: 1.5, trusted: true })).toBe('1.500');
    expect(describeScore({ value: null, trusted: null }, 'bits')).toBe('–');
  });
});

describe('a forecast', () => {
  const RECORD: AbortRecord = {
    rule: 'asha',
    abort: true,
    audited: false,
    share: 0.35,
    reason: 'behind',
    forecast: 1.08,
    interval: { low: 1.06, high: 1.1 },
    incumbent: 1.02,
    strictness: 1,
    elapsed: 3,
    auditProbability: 0.1,
  };

  it('has its interval, the value to beat, and the rule in words', () => {
    expect(forecastOf(RECORD)).toEqual({
      forecast: 1.08,
      low: 1.06,
      high: 1.1,
      toBeat: 1.02,
      share: 0.35,
      wanted: true,
      audited: false,
      words: 'stopped at 35 % by asha, forecast 1.08 ± 0.02 against 1.02: behind',
    });
  });

  it('has null for a number that is not finite', () => {
    expect(forecastOf({ ...RECORD, forecast: Number.NaN, interval: null, incumbent: null })).toMatchObject({
      forecast: null,
      low: null,
      high: null,
      toBeat: null,
    });
  });
});
