import { expect, test } from 'vitest';
import type { Spend } from '../../../../dashboard/api/spend.ts';
import { isEmpty, limitTexts, stretchOf, unitOf, UNITS } from '../../../../dashboard/web/pages/spend/units.ts';
import { spendView } from '../../../../dashboard/web/pages/spend/view.ts';
import { csvText } from '../../../../view/figure/csv.ts';
import { svgFile } from '../../../../view/figure/svg-text.ts';
import { parseXmlElements } from '../../../support/parse-xml-elements.ts';

const SPEND: Spend = {
  total: { usd: 1.5, tokensIn: 100, tokensOut: 20, calls: 3, repeatedCalls: 0, slotSeconds: 60 },
  models: [{ model: '<m>', calls: 3, repeated: 0, tokensIn: 100, tokensOut: 20, usd: 1.5, unpriced: 1 }],
  rates: {
    requests: 4,
    answers: 3,
    badRate: 1 / 3,
    duplicateRate: 0,
    limitedRate: 0.25,
    latencySeconds: { p50: 3.1, p95: 12 },
    unpriced: 0,
    perClaim: { usd: 1.5, tokens: 120 },
  },
  hours: {
    at: ['2026-11-27T10:00:00Z', '2026-11-27T11:00:00Z'],
    usd: [0, 1.5],
    tokens: [0, 120],
    slotSeconds: [0, 60],
  },
  researches: [{ id: '@x', usd: 1.5, tokens: 120, slotSeconds: 60, trials: 2 }],
  budgets: [{ research: '@x', limit: 'usd', spent: 1.5, of: 2, atEnd: null, reachedAt: null, words: 'not reached' }],
  savedSeconds: null,
};

test.each([
  ['usd', 1.5, 20, '$1.50', '$20.00'],
  ['slotSeconds', 90, 3600, '1 min 30 s', '1 h on slots'],
  ['hours', 1.2345, 12, '1.23', '12 hours'],
  ['trials', 12, 50_000, '12', '50.0k trials'],
  ['proposals', 1, 2, '1', '2 proposals'],
])('the spend is shown beside its limit: %s', (limit, spent, most, words, limitWords) => {
  expect(limitTexts(limit, spent, most)).toEqual({ spent: words, total: limitWords });
});

test('an address with an unknown unit or stretch shows the default one', () => {
  expect([unitOf('tokens').value, unitOf('bitcoin').value, unitOf(null).value]).toEqual(['tokens', 'usd', 'usd']);
  expect([stretchOf('day'), stretchOf('year'), stretchOf(null)]).toEqual(['day', 'hour', 'hour']);
});

test('the spend is empty only if it is 0 in all units', () => {
  const none = { usd: 0, tokensIn: 0, tokensOut: 0, calls: 0, repeatedCalls: 0, slotSeconds: 0 };
  expect(isEmpty({ ...SPEND, total: none })).toBe(true);
  for (const key of ['usd', 'tokensIn', 'calls', 'slotSeconds'])
    expect(isEmpty({ ...SPEND, total: { ...none, [key]: 1 } })).toBe(false);
});

test.each(UNITS)('the view is drawn in $words, and has every hour', (unit) => {
  const view = spendView(SPEND, { research: '@x', stretch: 'hour', unit, at: new Date('2026-11-27T12:00:00Z') });
  const [drawing] = view.drawings;
  if (!drawing) throw new Error('expected a drawing');
  const file = svgFile(drawing);
  expect(file).not.toMatch(/NaN|Infinity|undefined/);
  parseXmlElements(file);
  expect(csvText(view.data)).toBe(
    'from,usd,tokens,slot_seconds\r\n2026-11-27T10:00:00Z,0,0,0\r\n2026-11-27T11:00:00Z,1.5,120,60\r\n',
  );
  expect(view.stem).toBe('perpetua-spend-x');
});

test('a saved view has the rates of calls in the words of status, and none without a call', () => {
  const query = { research: null, stretch: 'hour', unit: unitOf(null) } as const;
  const rates = (spend: Spend) => spendView(spend, query).facts.find(({ label }) => label === 'Call rates')?.value;
  expect(rates(SPEND)).toBe(
    '3 answers of 4 requests, 33.3 % bad, 0 % duplicates · 25 % rejected as too many (HTTP 429) · ' +
      'latency p50 3.1 s, p95 12 s · 120 tokens and $1.50 per claim',
  );
  expect(rates({ ...SPEND, rates: null })).toBeUndefined();
});
