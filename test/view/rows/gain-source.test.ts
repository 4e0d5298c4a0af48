import { expect, test } from 'vitest';
import { describeSource } from '../../../view/rows/gain-source.ts';
import { VIEW } from '../support/view.ts';

const claim = VIEW.gain.claim!;

test.each([
  [{ source: 'after', runs: 4, corrected: true }, 'corrected by 4 runs after the claim'],
  [{ source: 'after', runs: 5, corrected: false }, 'from 5 runs after the claim'],
  [
    { source: 'claim', runs: 6, after: 0 },
    'from 6 runs, those that won the claim among them, probably too high: no runs were added after it',
  ],
  [
    { source: 'claim', runs: 8, after: 2 },
    'from 8 runs, those that won the claim among them, probably too high: only 2 of 4 runs were added after it',
  ],
  [{ source: 'person', after: 3, corrected: false }, 'as measured: a person made this claim'],
  [{ source: 'person', runs: 4, after: 4, corrected: false }, "from 4 runs after a person's claim"],
  [{ source: 'measured', corrected: false }, 'as measured'],
] as const)('the text of a claim by %j names its runs', (part, text) => {
  expect(describeSource({ ...claim, ...part })).toBe(text);
});

test('a text mentions correlated runs that widen the interval much', () => {
  expect(describeSource({ ...claim, widened: 1.4 })).toBe('corrected by 4 runs after the claim');
  expect(describeSource({ ...claim, widened: 3 })).toBe(
    'corrected by 4 runs after the claim; runs are correlated, so the interval is 3.0 times as wide',
  );
  expect(describeSource({ ...claim, widened: 3, low: 1, high: 1 })).toBe('corrected by 4 runs after the claim');
});
