import { expect, test } from 'vitest';
import { bestSoFar, type BestSoFar } from '../../../../view/figure/drawings/best-so-far.ts';
import { paperPalette } from '../../../../view/figure/palette.ts';
import { SHAPES, type Shape } from '../../../../view/figure/shapes.ts';
import { svgFile } from '../../../../view/figure/svg-text.ts';
import { HOSTILE } from '../../../support/hostile-texts.ts';
import { parseXmlElements } from '../../../support/parse-xml-elements.ts';

const KINDS = (Object.keys(SHAPES) as Shape[]).map((shape) => ({ word: shape, role: 'discard' as const, shape }));

/** A research with that many trials, falling values and all kinds of dots. */
function researchOf(trials: number, over: Partial<BestSoFar> = {}): BestSoFar {
  const n = Array.from({ length: trials }, (_, index) => index);
  return {
    title: 'demo: best so far',
    labels: { x: 'trials', y: 'loss nats' },
    direction: 'minimize',
    kinds: KINDS,
    xTexts: (ticks) => ticks.map(String),
    dots: {
      x: n,
      value: n.map((k) => (k % 17 === 3 ? null : 3 + Math.exp(-k / trials) + ((k * 7919) % 1000) / 3000)),
      outcome: n.map((k) => k % KINDS.length),
    },
    rawBest: { x: [0, trials / 2], value: [4, 3.4] },
    claims: { x: [0, trials / 3], value: [4, 3.6], low: [3.9, 3.5], high: [4.1, 3.7] },
    baseline: { value: 4, sd: 0.1 },
    optimum: null,
    end: trials,
    ...over,
  };
}

const fileOf = (given: BestSoFar): string => svgFile(bestSoFar(given, paperPalette));

test('a research of 50,000 trials is a file of less than 300 kB, without a raster or a script', () => {
  const file = fileOf(researchOf(50_000));
  expect(file.length).toBeLessThan(300_000);
  const elements = new Set(parseXmlElements(file));
  expect([...elements].sort()).toEqual(['path', 'rect', 'svg', 'text', 'title']);
  expect(file).not.toMatch(/NaN|Infinity|undefined|https?:(?!\/\/www\.w3\.org\/2000\/svg")/);
});

test('labels are text elements, which can be searched and edited', () => {
  const file = fileOf(researchOf(100));
  for (const words of ['demo: best so far', 'loss nats', 'claim with its 95 % interval', 'triangle'])
    expect(file).toContain(`>${words}</text>`);
});

test('an outlier does not compress the scale, and is counted', () => {
  const { dots, ...rest } = researchOf(100);
  const far = { ...dots, value: dots.value.map((value, index) => (index === 50 ? 1e6 : value)) };
  const file = fileOf({ ...rest, dots: far });
  expect(file).toMatch(/>\d+ trials outside this range, 6 trials without a value</);
  expect(file).not.toContain('1000000');
});

test('a research before its first trial is drawn', () => {
  const empty = { x: [], value: [], low: [], high: [], outcome: [] };
  const file = fileOf(researchOf(1, { dots: empty, rawBest: empty, claims: empty, baseline: null, end: 0 }));
  expect(file).not.toMatch(/NaN|Infinity/);
  parseXmlElements(file);
});

test.each(HOSTILE)('a hostile name stays a text: %j', (name) => {
  const file = fileOf(researchOf(10, { title: name, labels: { x: name, y: name } }));
  expect(new Set(parseXmlElements(file))).toEqual(new Set(['svg', 'title', 'rect', 'text', 'path']));
});
