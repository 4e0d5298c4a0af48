import { expect, test } from 'vitest';
import { describeAbort, isAbortShown } from '../../../view/rows/early-abort.ts';
import { estimateErrors } from '../../../domain/abort/audit/estimate-errors.ts';

const audits = (n: number, wrong: number, survivors: number) =>
  estimateErrors(
    [
      { good: true, probability: 1, runs: wrong },
      { good: false, probability: 1, runs: n - wrong },
      { good: true, probability: null, runs: survivors },
    ],
    0.02,
  );

const UNKNOWN = 'Error rate unknown: no audited run has ended yet';

test.each([
  [0, 0, audits(0, 0, 0), `0 runs stopped. ${UNKNOWN}`],
  [1, 60, audits(0, 0, 5), `1 run stopped, 1 min of slots saved. ${UNKNOWN}`],
  [
    8,
    3600,
    audits(6, 0, 0),
    '8 runs stopped, 1 h of slots saved. Audit: 6 runs went on although the rule wanted to stop them, ' +
      'and none of them beat the incumbent. ' +
      'With so few audits, up to 39 % of its stops may be wrong (95 % confidence)',
  ],
  [
    0,
    0,
    audits(30, 1, 0),
    '0 runs stopped. Audit: 30 runs went on although the rule wanted to stop them, ' +
      'and 1 of them beat the incumbent. ' +
      'With so few audits, up to 15 % of its stops may be wrong (95 % confidence)',
  ],
  [
    0,
    0,
    audits(200, 3, 200),
    '0 runs stopped. Audit: 200 runs went on although the rule wanted to stop them, ' +
      'and 3 of them beat the incumbent. 0.3 % to 4.3 % of its stops are wrong (95 % interval). ' +
      'Too few audits to compare that with the target (abort.errorTarget)',
  ],
  [
    0,
    0,
    audits(30, 6, 10),
    '0 runs stopped. Audit: 30 runs went on although the rule wanted to stop them, ' +
      'and 6 of them beat the incumbent. 7.7 % to 38.6 % of its stops are wrong (95 % interval). ' +
      'Weighted by audit probability, 20 % of its stops are wrong (at least 5.2 %), ' +
      'and 37.5 % of winners are lost (11 % to 53.6 %): above the target (abort.errorTarget)',
  ],
  [
    2,
    60,
    audits(200, 0, 40),
    '2 runs stopped, 1 min of slots saved. Audit: 200 runs went on although the rule wanted to stop them, ' +
      'and none of them beat the incumbent. 0 % to 1.8 % of its stops are wrong (95 % interval). ' +
      'Weighted by audit probability, 0 % of its stops are wrong (at least 0 %), and 0 % of winners are lost ' +
      '(0 % to 8.4 %): wrong stops are below the target (abort.errorTarget), ' +
      'and too few runs won to judge the lost winners',
  ],
])('%d stopped runs, %d s saved and the audits are one line', (stopped, savedSeconds, audit, line) => {
  expect(describeAbort({ stopped, savedSeconds, audit, carried: null })).toBe(line);
});

test.each([
  [
    { tested: false, dropped: null },
    '120 curves of 3 earlier researches are used after the first baseline runs, unless those runs deviate from them',
  ],
  [{ tested: true, dropped: null }, '120 curves of 3 earlier researches are in use'],
  [{ tested: true, dropped: 'of another unit' }, '120 curves of 3 earlier researches are dropped: of another unit'],
])('curves of earlier researches follow it, tested or not', (state, line) => {
  const carried = { curves: 120, researches: 3, ...state };
  const tally = { stopped: 0, savedSeconds: 0, audit: audits(0, 0, 0), carried };
  expect(describeAbort(tally)).toBe(`0 runs stopped. ${UNKNOWN}. ${line}`);
  expect([tally, { ...tally, carried: null }, null].map(isAbortShown)).toEqual([true, false, false]);
});
