import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { csvText } from '../../../view/figure/csv.ts';
import { linear, stepFor, tickTexts, ticksOf } from '../../../view/figure/scale.ts';
import { mark } from '../../../view/figure/mark.ts';
import { markText, svgFile } from '../../../view/figure/svg-text.ts';
import { HOSTILE } from '../../support/hostile-texts.ts';
import { parseXmlElements } from '../../support/parse-xml-elements.ts';
import { pagePalette, paperPalette, ROLES } from '../../../view/figure/palette.ts';
import { thinPoints, type Point } from '../../../view/figure/drawings/best-so-far.ts';

describe('CSV', () => {
  const rowOf = (...cells: (string | number | null)[]): string =>
    csvText({ columns: cells.map(() => 'c'), rows: [cells] })
      .split('\r\n')
      .slice(1)
      .join('\r\n');

  test('every row ends with carriage return and line feed', () => {
    expect(
      csvText({
        columns: ['a', 'b'],
        rows: [
          [1, 'x'],
          [2, null],
        ],
      }),
    ).toBe('a,b\r\n1,x\r\n2,\r\n');
  });

  test.each([
    ['a comma', 'a,b', '"a,b"\r\n'],
    ['a quote', 'say "so"', '"say ""so"""\r\n'],
    ['a line break', 'a\nb', '"a\nb"\r\n'],
  ])('a cell with %s is quoted', (_, cell, expected) => {
    expect(rowOf(cell)).toBe(expected);
  });

  test.each(['=1+1', '+1', '-1+2', '@SUM(A1)', '\t=1', '\n=1', ' =1', '|cmd'])(
    'a text that a spreadsheet would compute is escaped: %j',
    (cell) => {
      expect(rowOf(cell).replace(/^"/, '')).toMatch(/^'/);
    },
  );

  test('a negative number stays a number, and one that is not finite is empty', () => {
    expect(rowOf(-1.5, Number.NaN, Infinity)).toBe('-1.5,,\r\n');
  });

  test('control and bidirectional characters are named', () => {
    expect(rowOf('a\u202eb\u0000')).toBe('a[U+202E]b[NUL]\r\n');
  });
});

describe('a scale', () => {
  test.each([
    [0, 100, 5, [0, 20, 40, 60, 80, 100]],
    [3.16, 3.29, 6, [3.175, 3.2, 3.225, 3.25, 3.275]],
    [-1, 1, 4, [-1, -0.5, 0, 0.5, 1]],
  ])('ticks from %d to %d are round', (low, high, most, ticks) => {
    expect(ticksOf(low, high, most)).toEqual(ticks);
  });

  test('a range without an extent is widened', () => {
    const scale = linear({ low: 5, high: 5, from: 0, to: 100 });
    expect(scale.of(5)).toBeCloseTo(50);
    expect(linear({ low: 0, high: 0, from: 0, to: 100 }).of(0)).toBeCloseTo(50);
  });

  test('the texts of ticks have the digits of their step', () => {
    expect(tickTexts([3.175, 3.2, 3.225])).toEqual(['3.175', '3.200', '3.225']);
    expect(tickTexts([0, 20, 40])).toEqual(['0', '20', '40']);
    expect(tickTexts([0, 2.5, 5])).toEqual(['0.0', '2.5', '5.0']);
  });

  test('a step is found for any span', () => {
    expect(stepFor(0, 5)).toBe(1);
    expect(stepFor(Number.NaN, 5)).toBe(1);
    expect(stepFor(7e-9, 5)).toBeCloseTo(2e-9, 15);
  });
});

describe('SVG', () => {
  test.each(HOSTILE)('a hostile text stays a text, in the content and in an attribute: %j', (text) => {
    const file = svgFile({ width: 10, height: 10, title: text, marks: [mark('text', { x: 1, fill: text }, text)] });
    expect(parseXmlElements(file)).toEqual(['svg', 'title', 'text']);
    expect(file).not.toMatch(/[\u202a-\u202e]|<script|<img/);
  });

  test('an invalid name is refused', () => {
    expect(() => markText(mark('a b'))).toThrow('Expected the name of an element, got "a b".');
    expect(() => markText(mark('a', { 'on x': 1 }))).toThrow('Expected the name of an attribute, got "on x".');
  });

  test('attributes that are undefined are left out', () => {
    expect(markText(mark('path', { d: 'M0 0', stroke: undefined }))).toBe('<path d="M0 0"></path>');
  });
});

describe('the palette', () => {
  const tokens = readFileSync('dashboard/web/style/tokens.css', 'utf8');
  const light = tokens.slice(0, tokens.indexOf("[data-theme='dark']"));

  test.each(ROLES)('%s is the same on paper as on the page', (role) => {
    expect(light).toContain(`  --${role}: ${paperPalette(role)};`);
    expect(pagePalette(role)).toBe(`var(--${role})`);
  });
});

describe('thinning', () => {
  test('few points all stay', () => {
    const points: Point[] = [
      [1, 1],
      [1, 1],
    ];
    expect(thinPoints(points, 2)).toBe(points);
  });

  test('many points are thinned to those that are far from each other, without new ones', () => {
    const points = Array.from({ length: 50_000 }, (_, n): Point => [(n * 7919) % 900, (n * 104_729) % 400]);
    const kept = thinPoints(points, 1000);
    expect(kept.length).toBeLessThanOrEqual(1000);
    expect(kept.length).toBeGreaterThan(500);
    expect(kept.every((point) => points.includes(point))).toBe(true);
  });

  test('an isolated point stays', () => {
    const alone: Point = [5000, 5000];
    const crowd = Array.from({ length: 10_000 }, (_, n): Point => [n % 100, Math.floor(n / 100)]);
    expect(thinPoints([...crowd, alone], 100)).toContain(alone);
  });
});
