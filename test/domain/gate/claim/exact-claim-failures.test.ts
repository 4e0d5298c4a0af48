import { describe, expect, test } from 'vitest';
import type { WantedRun } from '../../../../domain/gate/types.ts';
import { GateDriver } from '../support.ts';

/** Values of an exact metric. */
const EXACT: Record<string, number> = { base: 0.25, a: 0.5, b: 0.75 };
const exact = ({ candidateId }: WantedRun): number => EXACT[candidateId] ?? Number.NaN;

describe('failed runs', () => {
  test('of an incumbent count as worse runs of it if the unmodified version never fails', () => {
    const driver = new GateDriver({ baselineRuns: 3 });
    driver.answer(exact);
    driver.feed({ candidateId: 'a', value: 0.5 });
    driver.answer(exact);
    driver.feed({ candidateId: 'b', parentId: 'a', value: 0.75 });
    driver.answer((want) => (want.candidateId === 'a' ? null : exact(want)));
    expect(driver.claims.map(({ candidateId }) => candidateId)).toEqual(['a', 'b']);
  });

  test('of an incumbent that gives no value any more do not block claims, even if it is the unmodified version', () => {
    const driver = new GateDriver({ baselineRuns: 3 });
    driver.answer(exact);
    driver.feed({ candidateId: 'a', value: 0.5 });
    driver.answer((want) => (want.candidateId === 'base' ? null : exact(want)));
    expect(driver.claims.map(({ candidateId }) => candidateId)).toEqual(['a']);
    expect(driver.state.subjects[0]).toMatchObject({ candidateId: 'base', failed: 4 });
  });

  test('that end a claim are named by their sides', () => {
    const driver = new GateDriver({ baselineRuns: 3 });
    driver.answer(() => null, 1);
    driver.answer(exact);
    driver.feed({ candidateId: 'a', value: 0.5 });
    const sides = { base: driver.wanted.find(({ candidateId }) => candidateId === 'base')!, a: driver.wanted[0]! };
    for (const id of ['base', 'a', 'a', 'a'] as const)
      driver.feed({ ...sides[id], candidateId: id, parentId: null, value: null });
    expect(driver.rulings.map(({ reason }) => reason)).toContain(
      'no claim: 3 fresh runs of it and 1 fresh run of the best gave no value',
    );
  });
});
