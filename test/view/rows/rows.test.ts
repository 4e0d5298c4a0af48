import { describe, expect, it, test } from 'vitest';
import { statusRows, describeGain, describeLead } from '../../../view/rows.ts';
import type { StatusPart } from '../../../view/status.ts';
import { VIEW } from '../support/view.ts';
import { describeRates, ratesOf } from '../../../view/rows/rates.ts';
import { describeOwnSettings } from '../../../view/rows/own-settings.ts';
import { describeBaseline } from '../../../view/rows/baseline.ts';

describe('the rows of a status', () => {
  it('show the state of a research', () => {
    expect(statusRows(VIEW)).toEqual([
      ['best', '1.50 bits untrusted  toy/4 · gain +0.70 = +3.5 sd of one run'],
      ['gain', '+0.70 (95 %: +0.50 to +0.90) corrected by 4 runs after the claim'],
      ['baseline', '2.20 bits  sd of one run 0.2000 (3 runs)'],
      ['trials', '5 ended, 1 under way · 4 completed, 1 crashed'],
      ['verdicts', '1 keep, 3 discard, 1 none'],
      ['spend', '1 min 1 s on slots · 12.3k tokens · $0.42'],
      [
        'budget',
        '5 of 60 trials used · 7 of 290 proposals used · 1 min 1 s of 1 h on slots used · ' +
          '12.3k of 50.0k tokens used · $0.42 of $5.00 used · then the research waits',
      ],
    ]);
  });

  it('name the basis of the claim below its gain', () => {
    const basis = '3 of its 9 re-runs failed';
    const best = { trialId: 'toy/4', candidateId: 'c', unmodified: false, value: 1.5, trusted: true, failed: 3, basis };
    expect(statusRows({ ...VIEW, best }).slice(1, 3)).toEqual([
      ['gain', '+0.70 (95 %: +0.50 to +0.90) corrected by 4 runs after the claim'],
      ['claim', basis],
    ]);
  });

  it('compare the best with the values that the task knows', () => {
    const known = [
      { name: 'multistart', value: 2.1 },
      { name: 'paper 2025', value: 1.25 },
    ];
    const rows = statusRows({ ...VIEW, metric: { ...VIEW.metric, known } });
    expect(rows.find(([label]) => label === 'known')?.[1]).toBe('2.10 multistart · 1.25 paper 2025');
  });

  it('are fewer if less is known', () => {
    const part: StatusPart = {
      best: null,
      baseline: null,
      trials: { ended: 5, running: 1 },
      spend: { tokens: 0, usd: 0 },
    };
    expect(statusRows(part)).toEqual([
      ['best', 'not measured yet'],
      ['baseline', 'not measured yet'],
      ['trials', '5 ended, 1 under way'],
    ]);
    expect(statusRows({})).toEqual([]);
  });
});

const claimed = VIEW.gain.claim!;
const raw = { n: 9, candidateId: 'r', value: 1.562, gain: -0.051 };

describe('the gain in words', () => {
  it('is "none yet" if even the best run of a proposal is worse than the baseline', () => {
    const claim = { ...claimed, candidateId: 'b', value: 1.511, gain: 0, low: 0, high: 0, runs: 10 };
    expect(describeGain({ claim, raw }, 0.03)).toBe('none yet');
    expect(describeGain({ claim: null, raw: null }, null)).toBe('none yet');
  });

  it('states its interval and the runs that it comes from', () => {
    expect(describeGain({ claim: claimed, raw: null }, 0.1)).toBe(
      '+0.70 (95 %: +0.50 to +0.90) corrected by 4 runs after the claim',
    );
    const exact = { ...claimed, low: 0.7, high: 0.7, source: 'measured' as const, corrected: false };
    expect(describeGain({ claim: exact, raw: null }, 0.1)).toBe('+0.70 as measured');
  });

  it('names the best run of a proposal if it is better than the baseline', () => {
    expect(describeGain({ claim: null, raw: { ...raw, value: 1.4, gain: 0.111 } }, 0.03)).toBe(
      'best run of a proposal 1.400 (#9), not confirmed by itself',
    );
  });
});

describe('the lead', () => {
  const baseline = { value: 1.5, sd: 0.03, n: 10, trusted: true };
  const more = { trusted: true, waitsFor: 'its race waits for the race of #40' };
  const lead = { trialId: 'toy/41', candidateId: 'c', value: 1.161, n: 1, estimate: 1.2, ...more };

  describe('the lead in words', () => {
    it('are present only if the lead is not the best', () => {
      expect(describeLead({ lead: null, baseline })).toBeNull();
      expect(describeLead({ baseline })).toBeNull();
      expect(describeLead({ lead, baseline, unit: 'bits' })).toBe(
        '1.161 bits  toy/41 · one run, estimated at 1.200, not confirmed; its race waits for the race of #40',
      );
      expect(describeLead({ lead: { ...lead, n: 2, estimate: null, waitsFor: null }, baseline })).toBe(
        '1.161  toy/41 · mean of 2 runs, not confirmed; its race starts next',
      );
    });

    it('do not mention a race of an ended research', () => {
      expect(describeLead({ lead, baseline, phase: 'stopped' })).toMatch(/, not confirmed$/);
    });

    it('are marked if the candidate could have forged its score', () => {
      expect(describeLead({ lead: { ...lead, trusted: false }, baseline, unit: 'bits' })).toMatch(
        /^1\.161 bits untrusted {2}toy\/41 /,
      );
    });
  });
});

describe('rates', () => {
  const CALLS = { answers: 8, bad: 2, duplicates: 1, unpriced: 3, failed: 2, limited: 1, repeated: 0 };
  const COUNTS = { ...CALLS, p50: 3.1, p95: 12 };

  test('rates are shares of the answers, that of 429 one of the requests; the cost of a claim is its share', () => {
    const rates = ratesOf(COUNTS, { usd: 0.84, tokens: 4000, claims: 2 });
    expect(rates).toEqual({
      requests: 10,
      answers: 8,
      badRate: 0.25,
      duplicateRate: 0.125,
      limitedRate: 0.1,
      latencySeconds: { p50: 3.1, p95: 12 },
      unpriced: 3,
      perClaim: { usd: 0.42, tokens: 2000 },
    });
    expect(rates && describeRates(rates)).toBe(
      '8 answers of 10 requests, 25 % bad, 12.5 % duplicates · 10 % rejected as too many (HTTP 429) · ' +
        'latency p50 3.1 s, p95 12 s · 2000 tokens and $0.42 per claim · USD without 3 answers of unknown cost',
    );
    // All prices known, or none.
    for (const unpriced of [0, 8]) expect(rates && describeRates({ ...rates, unpriced })).not.toContain('unknown cost');
  });

  test('an endpoint that never answered has no rate of answers, and a research without a claim no price of one', () => {
    const none = { ...COUNTS, answers: 0, bad: 0, duplicates: 0, failed: 4, limited: 4, p50: null, p95: null };
    const rates = ratesOf(none, { usd: 0, tokens: 0, claims: 0 });
    expect(rates).toMatchObject({
      badRate: null,
      duplicateRate: null,
      limitedRate: 1,
      latencySeconds: null,
      perClaim: null,
    });
    expect(rates && describeRates(rates)).toBe('0 answers of 4 requests · 100 % rejected as too many (HTTP 429)');
    expect(ratesOf({ ...none, failed: 0, limited: 0 })).toBe(null);
  });
});

test('the own settings of a research are shown with their values, settings of a method in JSON', () => {
  const overrides = { search: { parent: 'best', proposer: { name: 'random' } }, keep: { falseKeepsPer200: 0.1 } };
  const text = 'search.parent=best, search.proposer={"name":"random"}, keep.falseKeepsPer200=0.1';
  expect(describeOwnSettings(overrides)).toBe(text);
  expect(statusRows({ own: { overrides, settingsHash: 'a' } })).toEqual([['set', text]]);
});

test('a research without own settings has no such row', () => {
  expect(describeOwnSettings({})).toBeNull();
  expect(statusRows({ own: { overrides: {}, settingsHash: 'a' } })).toEqual([]);
});

test('a baseline is its mean, the noise of one run and how many runs; a score of its own making is marked', () => {
  const baseline = { value: 2.2, sd: 0.2, n: 3, trusted: true };
  expect(describeBaseline({ baseline, unit: 'bits' })).toBe('2.20 bits  sd of one run 0.2000 (3 runs)');
  const first = { value: 1.5, sd: null, n: 1, trusted: false };
  expect(describeBaseline({ baseline: first })).toBe('1.500 untrusted  sd of one run – (1 run)');
  expect(describeBaseline({ baseline: null })).toBe('not measured yet');
});
