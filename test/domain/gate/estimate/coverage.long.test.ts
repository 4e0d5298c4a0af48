import { expect, test } from 'vitest';
import { measureScene } from '../../../../bench/intervals/measure.ts';
import { SCENES } from '../../../../bench/intervals/scenes.ts';

const PROMISED = 0.93;

test.each(SCENES.map((scene) => [scene.name, scene] as const))('intervals cover the truth: %s', (_, scene) => {
  // Equal candidates are hardly ever claimed.
  const repeats = scene.hill === 'A/A' ? 400 : 100;
  const { claims, value, gain } = measureScene(scene, { trials: 60, repeats });
  expect(claims).toBeGreaterThan(10);
  const standardErrors = 3 / Math.sqrt(claims);
  const least = PROMISED - standardErrors * Math.sqrt(PROMISED * (1 - PROMISED));
  expect(value.covered).toBeGreaterThan(least);
  expect(gain.covered).toBeGreaterThan(least);
  // Half of an interval is about two standard errors of one claim.
  expect(Math.abs(value.error)).toBeLessThan((standardErrors * value.half) / 2);
});
