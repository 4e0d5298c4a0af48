import { describe, expect, it } from 'vitest';
import { taught } from '../../../bench/abort/costs.ts';
import type { AbortRuleName } from '../../../domain/abort/table.ts';

/** The published power law keeps nothing of the runs that ended. */
const LEARNING: readonly AbortRuleName[] = ['matched-time', 'median', 'asha', 'power-law-sprt-corrected'];

describe('a rule whose decisions are timed', () => {
  it.each(LEARNING)('%s has learned the runs that it is said to know', (name) => {
    const size = (runs: number): number => JSON.stringify(taught(name, runs).state).length;
    expect(size(60)).toBeGreaterThan(1.5 * size(30));
  });

  it('asha compares with all of them at its rung', () => {
    const points = Array.from({ length: 10 }, (_, i) => ({ step: i + 1, elapsed: i + 1, value: 9 }));
    const asked = { points, budget: { kind: 'steps', total: 30 }, incumbent: 3.3, run: 'new' } as const;
    expect(taught('asha', 60).decide(asked).decision.reason).toContain('of 61 at this rung');
  });
});
