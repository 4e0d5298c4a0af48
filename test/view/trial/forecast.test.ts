import { expect, it } from 'vitest';
import type { AbortRecord } from '../../../domain/abort/record.ts';
import { forecastOf } from '../../../view/trial/forecast.ts';

const RECORD: AbortRecord = {
  ...{ rule: 'asha', abort: true, audited: false, share: 0.35, reason: 'behind' },
  ...{ forecast: 1.08, interval: { low: 1.06, high: 1.1 }, incumbent: 1.02 },
  ...{ strictness: 1, elapsed: 3, auditProbability: 0.1 },
};

it('a forecast has its interval, what the run had to beat, and the rule in words', () => {
  expect(forecastOf(RECORD)).toEqual({
    ...{ forecast: 1.08, low: 1.06, high: 1.1, toBeat: 1.02, share: 0.35, wanted: true, audited: false },
    words: 'stopped at 35 % by asha, forecast 1.08 ± 0.02 against 1.02: behind',
  });
});

it('a number that is not finite counts as none', () => {
  expect(forecastOf({ ...RECORD, forecast: Number.NaN, interval: null, incumbent: null })).toMatchObject({
    ...{ forecast: null, low: null, high: null, toBeat: null },
  });
});
