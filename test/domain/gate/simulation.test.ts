import { expect, test } from 'vitest';
import { byShare } from '../../../bench/verdicts/early.ts';
import { NOISES } from '../../../bench/verdicts/noise.ts';
import { falseKeeps, measure, power, type Method } from '../../../bench/verdicts/tables.ts';

/** Small versions of bench/verdicts; seeds are fixed, so each comes out the same everywhere. */
const climb = (hill: { share: number; size: number }, method: Method) =>
  measure({ hill, noise: 'normal', seed: 1000, runs: 300 }, method, 5);

test.each(NOISES)('on equal candidates with %s noise false keeps stay below what is allowed', (noise) => {
  const cells = (['lead', 'confirmed-only'] as const).map((method) => falseKeeps(noise, method, 12));
  const rate = cells.reduce((sum, cell) => sum + cell.falseKeeps, 0) / cells.length;
  // Expected at most .05; 24 researches see 1.2 of them, and more than 4 once in a hundred times.
  expect(rate * 24).toBeLessThanOrEqual(4);
});

test('the strict rule keeps the lucky: the same stream breaks it', () => {
  expect(falseKeeps('normal', 'strict', 8).falseKeeps).toBeGreaterThan(2);
});

test('where gains are small the lead climbs higher than strict, and than confirmed parents', () => {
  const hill = { share: 0.1, size: 1 };
  const [lead, strict, confirmed] = [climb(hill, 'lead'), climb(hill, 'strict'), climb(hill, 'confirmed-only')];
  expect(lead.incumbent).toBeGreaterThan(strict.incumbent + 1);
  expect(lead.incumbent).toBeGreaterThan(confirmed.incumbent + 1);
  expect(lead.falseKeeps).toBeLessThanOrEqual(0.25);
  expect(strict.falseKeeps).toBeGreaterThan(2);
});

test('where gains are large the lead is no worse than confirmed parents', () => {
  const hill = { share: 0.05, size: 2 };
  expect(climb(hill, 'lead').incumbent).toBeGreaterThan(climb(hill, 'confirmed-only').incumbent);
});

test('a gain of 3 sd is found, one of half an sd is not', () => {
  expect(power(3, 'lead', 12)).toBeGreaterThanOrEqual(0.75);
  expect(power(0.5, 'lead', 12)).toBeLessThanOrEqual(0.25);
});

test('early abort buys trials for the same machine time, and the gate climbs higher without false keeps', () => {
  const early = { wish: byShare(0.7, 0.02), audit: { first: 0, share: 0 }, cost: 0.4 };
  const scene = { hill: { share: 0.1, size: 1 }, noise: 'normal' as const, seed: 1000, runs: 300 };
  const [whole, cut] = [measure(scene, 'lead', 8), measure({ ...scene, early }, 'lead', 8)];
  expect(cut.stopped).toBeGreaterThan(0.3);
  expect(cut.searches).toBeGreaterThan(1.3 * whole.searches);
  expect(cut.incumbent).toBeGreaterThan(whole.incumbent);
  expect(cut.falseKeeps).toBe(0);
});

test('on equal candidates early abort brings no more false keeps than are allowed', () => {
  const early = { wish: byShare(0.7, 0.02), audit: { first: 0, share: 0 }, cost: 0.4 };
  const cell = measure({ hill: 'A/A', noise: 'normal', seed: 10_000, searches: 200, early }, 'lead', 12);
  // Expected at most .05: 12 researches see .6 of them, and more than 3 once in 300 times.
  expect(cell.falseKeeps * 12).toBeLessThanOrEqual(3);
});
