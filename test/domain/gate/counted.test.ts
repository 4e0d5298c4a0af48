import { describe, expect, test } from 'vitest';
import { countRun, wasCounted, type Counted } from '../../../domain/gate/counted.ts';
import { skipTrial } from '../../../domain/gate/gate.ts';
import { Hand } from './support.ts';

const WIDEST_WINDOW = 1000;

describe('counting ended trials', () => {
  test('a long trial is still counted after thousands of others, with a candidate or without one', () => {
    const hand = new Hand({ policy: 'strict', baselineRuns: 3 }).calibrate([0, 0.1, 0.2]);
    const long = hand.n + 1;
    for (let n = long + 1; n < long + 3000; n += 1) hand.state = skipTrial(hand.state, n);
    const { rulings } = hand.feed({ value: 5 });
    expect(rulings).toContainEqual(expect.objectContaining({ n: long, verdict: 'keep' }));
  });

  test('each trial of the widest window counts once, though they end in reverse order', () => {
    let counted: Counted = { high: 0, holes: [] };
    for (let n = WIDEST_WINDOW; n > 0; n -= 1) {
      expect(wasCounted(counted, n)).toBe(false);
      counted = countRun(counted, n);
      expect(wasCounted(counted, n)).toBe(true);
    }
    expect(counted).toEqual({ high: WIDEST_WINDOW, holes: [] });
  });

  test('a skipped trial changes only the counts, and a repeated skip changes nothing', () => {
    const hand = new Hand().calibrate();
    const after = skipTrial(hand.state, hand.n + 2);
    expect(after).toEqual({ ...hand.state, counted: { high: hand.n + 2, holes: [hand.n + 1] } });
    expect(skipTrial(after, hand.n + 2)).toBe(after);
  });
});
