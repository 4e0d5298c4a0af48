import { describe, expect, test } from 'vitest';
import { countRun, wasCounted, type Counted } from '../../../domain/gate/counted.ts';
import { skipTrial } from '../../../domain/gate/gate.ts';
import { GateDriver } from './support.ts';

const WIDEST_WINDOW = 1000;

describe('counting ended trials', () => {
  test('a long trial is still counted after thousands of others, with a candidate or without one', () => {
    const driver = new GateDriver({ policy: 'strict', baselineRuns: 3 }).calibrate([0, 0.1, 0.2]);
    const long = driver.n + 1;
    for (let n = long + 1; n < long + 3000; n += 1) driver.state = skipTrial(driver.state, n);
    const { rulings } = driver.feed({ value: 5 });
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
    const driver = new GateDriver().calibrate();
    const after = skipTrial(driver.state, driver.n + 2);
    expect(after).toEqual({ ...driver.state, counted: { high: driver.n + 2, holes: [driver.n + 1] } });
    expect(skipTrial(after, driver.n + 2)).toBe(after);
  });
});
