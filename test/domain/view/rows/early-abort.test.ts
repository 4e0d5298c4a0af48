import { expect, test } from 'vitest';
import { describeAbort, isTold } from '../../../../domain/view/rows/early-abort.ts';
import { estimate } from '../../../../domain/abort/audit/estimate.ts';

const audits = (n: number, wrong: number, survivors: number) =>
  estimate(
    [
      { good: true, probability: 1, runs: wrong },
      { good: false, probability: 1, runs: n - wrong },
      { good: true, probability: null, runs: survivors },
    ],
    0.02,
  );

test.each([
  [0, 0, audits(0, 0, 0), '0 runs stopped; none audited yet'],
  [1, 60, audits(0, 0, 5), '1 run stopped, 1 min of slots saved; none audited yet'],
  [0, 0, audits(30, 0, 0), '0 runs stopped; audits: 0 of 30 ended well, so under 10 % of its stops are wrong'],
  [
    8,
    3600,
    audits(6, 0, 0),
    '8 runs stopped, 1 h of slots saved; audits: 0 of 6 ended well, so under 39 % of its stops are wrong',
  ],
  [
    0,
    0,
    audits(200, 3, 200),
    '0 runs stopped; audits: 3 of 200 ended well (0.3 % to 4.3 %), too few to say whether that is ' +
      'within the target',
  ],
  [
    0,
    0,
    audits(30, 6, 10),
    '0 runs stopped; audited 30, 6 of them wrong (7.7 % to 38.6 %); weighted, 20 % of would-be stops end well ' +
      '(at least 5.2 %) and 37.5 % of runs that end well are lost (11 % to 53.6 %): above target',
  ],
  [
    2,
    60,
    audits(200, 0, 40),
    '2 runs stopped, 1 min of slots saved; audited 200, none of them wrong (0 % to 1.8 %); weighted, 0 % of would-be ' +
      'stops end well (at least 0 %) and 0 % of runs that end well are lost (0 % to 8.4 %): wrong stops are below ' +
      'target, too few runs end well to say it of these',
  ],
])('%d stopped runs, %d s saved and what audits say are told in a line', (stopped, savedSeconds, audit, line) => {
  expect(describeAbort({ stopped, savedSeconds, audit, carried: null })).toBe(line);
});

test.each([
  [{ tested: false, dropped: null }, '120 curves of 3 earlier researches wait for the baseline runs to test them'],
  [{ tested: true, dropped: null }, '120 curves of 3 earlier researches are compared with'],
  [{ tested: true, dropped: 'of another unit' }, '120 curves of 3 earlier researches are dropped: of another unit'],
])('curves of earlier researches are told behind it, tested or not', (state, line) => {
  const carried = { curves: 120, researches: 3, ...state };
  const tally = { stopped: 0, savedSeconds: 0, audit: audits(0, 0, 0), carried };
  expect(describeAbort(tally)).toBe(`0 runs stopped; none audited yet; ${line}`);
  expect([tally, { ...tally, carried: null }, null].map(isTold)).toEqual([true, false, false]);
});
