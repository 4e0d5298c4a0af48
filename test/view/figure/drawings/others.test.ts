import { expect, test } from 'vitest';
import { barAt, barsDrawing } from '../../../../view/figure/drawings/bars.ts';
import { GANTT_KINDS, ganttDrawing, type GanttKind } from '../../../../view/figure/drawings/gantt.ts';
import { traceDrawing, tracesDrawing, updateAt } from '../../../../view/figure/drawings/trace.ts';
import { treeDrawing } from '../../../../view/figure/drawings/tree.ts';
import { paperPalette } from '../../../../view/figure/palette.ts';
import { svgFile } from '../../../../view/figure/svg-text.ts';
import { parseXmlElements } from '../../../support/parse-xml-elements.ts';

const BARS = { width: 400, height: 200, values: [0, 4, 2] };
const sound = (file: string): string => {
  expect(file).not.toMatch(/NaN|Infinity|undefined/);
  parseXmlElements(file);
  return file;
};

test('an hour without spend has no bar, and one with little spend has a visible one', () => {
  const drawn = barsDrawing(
    {
      ...BARS,
      values: [0, 1e-9, 2],
      title: 'Spend',
      label: 'USD',
      format: String,
      ticks: [{ index: 2, words: 'now' }],
    },
    paperPalette,
  );
  const file = sound(svgFile(drawn));
  expect(file.match(/V175h/g)).toHaveLength(1);
  expect(file).toContain('>now</text>');
});

test('a bar is found by its pixel', () => {
  expect([63, 64, 200, 391, 392].map((x) => barAt(BARS, x))).toEqual([null, 0, 1, 2, null]);
});

test('a chart without spend is drawn', () => {
  sound(
    svgFile(
      barsDrawing({ ...BARS, values: [], title: 'Spend', label: 'USD', format: String, ticks: [] }, paperPalette),
    ),
  );
});

const TRACE = {
  name: 'Entropy',
  points: [
    { x: 1, y: 2 },
    { x: 2, y: null },
    { x: 3, y: 1 },
  ],
  gates: [{ x: 3, then: 'halt' }],
  span: { from: 1, to: 3 },
};

test('a curve has a gap where an update has no number', () => {
  const { marks } = traceDrawing({ ...TRACE, width: 300, height: 100 }, paperPalette);
  const line = marks.map(({ attrs }) => String(attrs['d'] ?? '')).find((d) => /M.*M/.test(d) && !/H/.test(d));
  expect(line?.match(/M/g)).toHaveLength(2);
});

test('intervals and references are drawn within the frame, with the names of the references as text', () => {
  const intervals = [{ x: 1, low: -1, high: 5 }];
  const references = [
    { name: 'best <constant>', value: 9 },
    { name: 'at random', value: -4 },
  ];
  const drawing = traceDrawing({ ...TRACE, intervals, references, width: 300, height: 100 }, paperPalette);
  const file = sound(svgFile(drawing));
  expect(file).toContain('>best &lt;constant&gt;</text>');
  const heights = drawing.marks.flatMap(({ attrs }) => {
    const [, y] = attrs['stroke-dasharray'] === '1 4' ? (/^M52 ([\d.]+)H290$/.exec(String(attrs['d'])) ?? []) : [];
    return y === undefined ? [] : [Number(y)];
  });
  expect(heights).toHaveLength(2);
  for (const y of heights) expect(y >= 12 && y <= 78).toBe(true);
  expect(heights[0]).toBeLessThan(heights[1] ?? NaN);
});

test('a gate that halted learning has another mark than one with action tell', () => {
  const file = (then: string) => sound(svgFile(tracesDrawing([{ ...TRACE, gates: [{ x: 3, then }] }], paperPalette)));
  expect(file('halt')).toContain('h8v8h-8z');
  expect(file('tell')).toContain('h9l-4.5 8z');
});

test('an update is found by its pixel, even at the edges', () => {
  const place = { width: 300, height: 100, span: { from: 1, to: 11 } };
  expect([0, 52, 171, 290, 999].map((x) => updateAt(place, x))).toEqual([1, 1, 6, 11, 11]);
});

test('a single update is drawn', () => {
  sound(svgFile(tracesDrawing([{ ...TRACE, points: [{ x: 1, y: 2 }], span: { from: 1, to: 1 } }], paperPalette)));
});

const kind = (name: string): GanttKind => {
  const found = GANTT_KINDS[name];
  if (!found) throw new Error(name);
  return found;
};

test('a run that began before the plot begins with it, and each kind of end has a pattern', () => {
  const bars = {
    slot: [0, 0, 1],
    start: [-100, 50, 20],
    seconds: [120, 1000, 0],
    kind: [kind('completed'), kind('failed'), kind('lost')],
  };
  const file = sound(svgFile(ganttDrawing({ slots: ['a:0', 'b:0'], seconds: 100, bars, ticks: [] }, paperPalette)));
  expect(file).toContain('M150 38h160');
  expect(file).toContain('<pattern id="cross-failed"');
  expect(file).toContain('url(#cross-failed)');
  expect(new Set(Object.values(GANTT_KINDS).map(({ pattern }) => pattern)).size).toBe(Object.keys(GANTT_KINDS).length);
});

test('a day of 20,000 runs is a small file', () => {
  const bar = Array.from({ length: 20_000 }, (_, index) => index);
  const bars = {
    slot: bar.map((index) => index % 8),
    start: bar.map((index) => Math.floor(index / 8) * 34),
    seconds: bar.map(() => 33),
    kind: bar.map((index) => kind(index % 97 === 0 ? 'failed' : 'completed')),
  };
  const slots = Array.from({ length: 8 }, (_, index) => `gpu:${index}`);
  const file = svgFile(ganttDrawing({ slots, seconds: 86_400, bars, ticks: [] }, paperPalette));
  expect(file.length).toBeLessThan(100_000);
  expect(file).toContain('url(#cross-failed)');
});

test('a tree emphasizes the path to the best, and shows the number of folded candidates', () => {
  const place = {
    x: 0,
    y: 0,
    parent: null,
    chosen: true,
    words: 'baseline',
    folded: 0,
    shape: 'ring',
    role: 'scored',
  } as const;
  const places = [
    place,
    { ...place, x: 100, y: -10, parent: 0, words: '#2 3.1' },
    { ...place, x: 100, y: 10, parent: 0, chosen: false, words: '#3', folded: 12 },
  ];
  const file = sound(
    svgFile(treeDrawing({ title: 'Tree', box: { left: 0, right: 100, top: -10, bottom: 10 }, places }, paperPalette)),
  );
  expect(file).toContain('stroke-width="2.5"');
  expect(file).toContain('>+12 below</text>');
});
