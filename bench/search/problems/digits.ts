import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../config/paths.ts';
import type { Problem } from '../problem.ts';
import { choiceKnob, floatKnob, intKnob, positionOf } from '../space.ts';

/** Test images of the table. */
const IMAGES = 1297;

/** The knobs of make-digits.py, in the order of the columns. */
const KNOBS = [
  floatKnob('rate', [1e-3, 3], 'log'),
  floatKnob('decay', [1e-5, 10], 'log'),
  floatKnob('momentum', [0, 0.99]),
  intKnob('width', [4, 64], 'log'),
  choiceKnob('activation', 3),
];

interface Row {
  /** Positions of the four numbers. */
  point: readonly number[];
  activation: number;
  wrong: number;
}

function readTable(): Row[] {
  const text = readFileSync(join(packageRoot(), 'bench/search/problems/digits.csv'), 'utf8');
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const cells = line.split(',').map(Number);
      return { point: cells.slice(0, 4).map((x) => (x + 0.5) / 1e4), activation: cells[4] ?? 0, wrong: cells[5] ?? 0 };
    });
}

/**
 * Share of wrong answers of a small network on handwritten digits, less the least of the table. The value is that of
 * the nearest of 2,000 configurations with the same activation (make-digits.py).
 */
export function digits(): Problem {
  const table = readTable();
  const least = Math.min(...table.map(({ wrong }) => wrong));
  return {
    name: 'digits-5',
    knobs: KNOBS,
    noise: 0,
    value: (values) => {
      const [activation = 0, ...point] = KNOBS.map((knob, i) => positionOf(knob, values[i] ?? null)).reverse();
      point.reverse();
      let nearest = { distance: Infinity, wrong: IMAGES };
      for (const row of table) {
        if (row.activation !== activation) continue;
        const distance = row.point.reduce((sum, x, i) => sum + (x - (point[i] ?? 0)) ** 2, 0);
        if (distance < nearest.distance) nearest = { distance, wrong: row.wrong };
      }
      return (nearest.wrong - least) / IMAGES;
    },
  };
}
