import { expect, test } from 'vitest';
import { renderReplay } from '../../../cli/render/replay.ts';
import type { ReplayReport } from '../../../domain/abort/replay/replay.ts';

/** A report in which all figures differ. */
const REPORT: ReplayReport = {
  rule: 'matched-time',
  settings: {},
  runs: 80,
  aborted: 0.61,
  wanted: 0.62,
  wouldBeIncumbents: 8,
  falseAborts: 0.013,
  falseAbortLower95: 0.0042,
  falseAbortUpper95: 0.034,
  undecided: false,
  bestTenthAborts: 0.055,
  bestTenthLower95: 0,
  bestTenthUpper95: 0.076,
  wantedFalse: 0.02,
  savedShare: 0.44,
  gain: 1.79,
  usefulGain: 1.76,
  regret: 0.0021,
};
/** Cells of the first row of the table, by the heads of their columns. */
function cellsOf(report: ReplayReport): Record<string, string> {
  const [, , head = '', row = ''] = renderReplay([report], 40);
  const [names, cells] = [head, row].map((line) => line.split(/ {2,}/));
  return Object.fromEntries(names?.map((name, i) => [name, cells?.[i] ?? '']) ?? []);
}

test('a replay has a column for each figure', () => {
  expect(cellsOf(REPORT)).toEqual({
    rule: 'matched-time',
    aborted: '61.0 %',
    'false aborts': '1.3 % (0.4 to 3.4 %)',
    'of best tenth': '5.5 % (0 to 7.6 %)',
    'time saved': '44.0 %',
    gain: '1.79',
    useful: '1.76',
    regret: '0.002100',
  });
  expect(renderReplay([REPORT], 40)[0]).toBe('40 curves, 80 runs replayed, 8 of them would have become incumbent');
});

test('a bound that no rule could meet is marked as undecided', () => {
  expect(cellsOf({ ...REPORT, undecided: true })['false aborts']).toBe('1.3 % (undecided, 0.4 to 3.4 %)');
  const bad = { ...REPORT, undecided: true, falseAborts: 0.26, falseAbortLower95: 0.13, falseAbortUpper95: 0.38 };
  expect(cellsOf(bad)['false aborts']).toBe('26.0 % (above 4 %, 13.0 to 38.0 %)');
});

test('a rule whose stops were all audited gets a hint how to see the gain of its stops', () => {
  const hint = (report: ReplayReport): boolean => renderReplay([report], 40).join('\n').includes('--audit-first 0');
  expect([hint(REPORT), hint({ ...REPORT, aborted: 0 }), hint({ ...REPORT, aborted: 0, wanted: 0 })]).toEqual([
    false,
    true,
    false,
  ]);
});

test('too few curves for a rule to stop a run are reported', () => {
  const notes = (report: ReplayReport, curves: number) =>
    renderReplay([report], curves).filter((line) => line.includes('stops nothing before'));
  expect(notes(REPORT, 10)).toEqual(['matched-time stops nothing before 10 runs have ended.']);
  expect(notes({ ...REPORT, rule: 'median' }, 5)).toEqual(['median stops nothing before 5 runs have ended.']);
  expect([notes(REPORT, 11), notes({ ...REPORT, rule: 'asha' }, 2)]).toEqual([[], []]);
});

test('a rule with settings of its own is named with them', () => {
  expect(cellsOf({ ...REPORT, rule: 'asha', settings: { eta: 4 } })['rule']).toBe('asha {"eta":4}');
});
