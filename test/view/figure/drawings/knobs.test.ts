import { expect, test } from 'vitest';
import { parallelDrawing } from '../../../../view/figure/drawings/parallel.ts';
import { sliceDrawing } from '../../../../view/figure/drawings/slice.ts';
import { paperPalette } from '../../../../view/figure/palette.ts';
import { svgFile } from '../../../../view/figure/svg-text.ts';
import { HOSTILE } from '../../../support/hostile-texts.ts';
import { parseXmlElements } from '../../../support/parse-xml-elements.ts';

const fileOf = (drawing: Parameters<typeof svgFile>[0]): string => {
  const file = svgFile(drawing);
  expect(file).not.toMatch(/NaN|Infinity|undefined/);
  parseXmlElements(file);
  return file;
};
const SIZE = { width: 400, height: 200 };

test('a line has a gap at a knob without a value, and lines of the top are drawn over the others', () => {
  const axes = ['LR', 'STEPS', 'DECAY', 'SEED'].map((name) => ({ name, low: '0', high: '1' }));
  const lines = [
    { positions: [0, 1, null, 1], isTop: true },
    { positions: [1, 1, 1, 1], isTop: false },
  ];
  const { marks } = parallelDrawing({ title: 'Knobs', axes, lines, ...SIZE }, paperPalette);
  expect(marks.slice(0, 2).map(({ attrs }) => attrs.d)).toEqual([
    'M56 36L152 36L248 36L344 36',
    'M56 180L152 36M344 36',
  ]);
  fileOf({ title: 'Knobs', marks, ...SIZE });
});

test('one axis, no candidates and hostile names are drawn', () => {
  for (const name of HOSTILE)
    fileOf(parallelDrawing({ title: name, axes: [{ name, low: name, high: '' }], lines: [], ...SIZE }, paperPalette));
  fileOf(parallelDrawing({ title: '', axes: [], lines: [], ...SIZE }, paperPalette));
});

test('a part without an interval has a hollow dot, and one without candidates has none', () => {
  const parts = [
    { from: '0', to: '1', median: 2, interval: [1, 3] as const },
    { from: '1', to: '2', median: 4, interval: null },
    { from: '2', to: '3', median: null, interval: null },
  ];
  const drawing = sliceDrawing({ title: 'LR', parts, range: { low: 1, high: 4 }, ...SIZE }, paperPalette);
  const file = fileOf(drawing);
  const dots = drawing.marks.filter(({ tag }) => tag === 'circle').map(({ attrs }) => attrs.fill);
  expect(dots).toEqual([paperPalette('accent'), paperPalette('surface')]);
  expect(file.match(/<circle/g)).toHaveLength(2);
});

test('a slice without any value is drawn', () => {
  fileOf(sliceDrawing({ title: 'LR', parts: [], range: { low: 0, high: 1 }, ...SIZE }, paperPalette));
});
