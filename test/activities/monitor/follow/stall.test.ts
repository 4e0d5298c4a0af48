import { expect, test } from 'vitest';
import { createStall } from '../../../../activities/monitor/follow/stall.ts';

test('an agent stalls after silence without a call, and never while a call is under way', () => {
  let time = 0;
  let underWay = 0;
  const calls = { underWay: () => underWay, lastAt: 0 };
  const stall = createStall({ calls, seconds: 10 }, () => time);
  time = 10_000;
  expect(stall.find()).toBeNull();
  stall.printed();
  time = 20_000;
  expect(stall.find()).toBeNull();
  underWay = 1;
  time = 500_000;
  expect(stall.find()).toBeNull();
  underWay = 0;
  time = 510_000;
  expect(stall.find()).toBeNull();
  time = 510_001;
  expect(stall.find()).toEqual({
    label: 'stalled',
    message: 'it neither printed nor asked a model for 10 s (search.proposer.stallSeconds)',
  });
  calls.lastAt = 510_000;
  expect(stall.find()).toBeNull();
});
