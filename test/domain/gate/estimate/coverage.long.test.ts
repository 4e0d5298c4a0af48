import { expect, test } from 'vitest';
import { measureScene } from '../../../../bench/intervals/measure.ts';
import { SCENES } from '../../../../bench/intervals/scenes.ts';

/** Largest mean error of a value, in sd of one run: three standard errors of 80 claims. A value has an sd of .5. */
const MOST_BIAS = 0.2;

test.each(SCENES.map((scene) => [scene.name, scene] as const))('intervals cover the truth: %s', (_, scene) => {
  const { claims, value, gain } = measureScene(scene, { trials: 60, repeats: 100 });
  expect(claims).toBeGreaterThan(10);
  // At least .93 is promised. Three standard errors lower with 80 claims is .845.
  expect(Math.min(value.covered, gain.covered)).toBeGreaterThan(0.84);
  expect(Math.abs(value.error)).toBeLessThan(claims > 60 ? MOST_BIAS : 2 * MOST_BIAS);
});
