import { expect, test } from 'vitest';
import { describeSlots, describeTrials, describeWindow } from '../../view/trials.ts';
import { VIEW } from './support/view.ts';

test('what a person stopped is told apart from what could not win', () => {
  const byStatus = { ...VIEW.trials.byStatus, aborted: 3 };
  expect(describeTrials({ ended: 8, running: 0, byStatus, cancelled: 1 })).toBe(
    '8 ended, 0 under way · 4 completed, 1 crashed, 2 stopped early, 1 stopped by a person',
  );
});

test('a window is how many trials may be under way at once, slots are those that are busy where that is known', () => {
  expect([describeWindow(1), describeWindow(4), describeWindow(null)]).toEqual([
    '1 trial at once',
    '4 trials at once',
    '–',
  ]);
  expect([describeSlots({ total: 2, leased: 1 }), describeSlots({ total: 4 })]).toEqual(['1 of 2 busy', '4']);
});
