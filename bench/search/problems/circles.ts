import type { Problem } from '../problem.ts';
import { floatKnob, intKnob } from '../space.ts';

/** Best known sum of the radii of 26 circles in the unit square (public, 2026). */
const BEST_KNOWN = 2.6359830853;
const CIRCLES = 26;

const KNOBS = [
  intKnob('columns', [3, 9]),
  floatKnob('inset', [0.01, 0.3]),
  floatKnob('stagger'),
  floatKnob('jitter', [1e-4, 0.3], 'log'),
  floatKnob('step', [1e-3, 0.5], 'log'),
  floatKnob('cooling', [0.8, 1]),
  floatKnob('wall', [0.1, 2]),
  intKnob('passes', [5, 200], 'log'),
];

type Centre = [x: number, y: number];

/**
 * A small program that packs circles: it places centres on a lattice, pushes them apart, and lets the circles grow from
 * there. The knobs decide lattice and pushing. The value is the gap to the best known sum of the radii.
 */
export const circles: Problem = {
  name: 'circles-8',
  knobs: KNOBS,
  noise: 0,
  value: (values) => {
    const [columns, inset, stagger, jitter, step, cooling, wall, passes] = values.map(Number) as Numbers;
    const centres = latticeOf({ columns, inset, stagger, jitter });
    let length = step;
    for (let pass = 0; pass < passes; pass += 1) {
      push(centres, { length, wall });
      length *= cooling;
    }
    return BEST_KNOWN - radiiOf(centres).reduce((sum, radius) => sum + radius, 0);
  },
};

type Numbers = [number, number, number, number, number, number, number, number];

/** Rows of `columns` centres, every second row moved by `stagger` of half a column. */
function latticeOf(lattice: { columns: number; inset: number; stagger: number; jitter: number }): Centre[] {
  const { columns, inset, stagger, jitter } = lattice;
  const rows = Math.ceil(CIRCLES / columns);
  const inside = 1 - 2 * inset;
  const clamp = (x: number): number => Math.min(1 - 1e-6, Math.max(1e-6, x));
  return Array.from({ length: CIRCLES }, (_, i): Centre => {
    const [row, column] = [Math.floor(i / columns), i % columns];
    const moved = column + (row % 2 === 1 ? stagger / 2 : 0);
    // A fixed scatter: the program has no seed.
    const [dx, dy] = [Math.sin(12.9898 * i + 1), Math.sin(78.233 * i + 2)];
    const x = inset + (inside * moved) / Math.max(1, columns - 1 + stagger / 2) + jitter * dx;
    const y = inset + (inside * row) / Math.max(1, rows - 1) + jitter * dy;
    return [clamp(x), clamp(y)];
  });
}

/** Moves each centre away from the nearest centre or wall, by `length` of the missing distance. */
function push(centres: Centre[], { length, wall }: { length: number; wall: number }): void {
  const wanted = 1 / Math.sqrt(CIRCLES);
  const moves = centres.map(([x, y], i): Centre => {
    const move: Centre = [0, 0];
    centres.forEach(([otherX, otherY], j) => {
      const distance = Math.hypot(x - otherX, y - otherY);
      if (i === j || distance >= wanted || distance === 0) return;
      move[0] += ((x - otherX) / distance) * (wanted - distance);
      move[1] += ((y - otherY) / distance) * (wanted - distance);
    });
    const room = (wanted / 2) * wall;
    move[0] += Math.max(0, room - x) - Math.max(0, room - (1 - x));
    move[1] += Math.max(0, room - y) - Math.max(0, room - (1 - y));
    return move;
  });
  moves.forEach(([dx, dy], i) => {
    const centre = centres[i];
    if (centre === undefined) return;
    centre[0] = Math.min(1 - 1e-6, Math.max(1e-6, centre[0] + length * dx));
    centre[1] = Math.min(1 - 1e-6, Math.max(1e-6, centre[1] + length * dy));
  });
}

/**
 * Radii without overlap: all begin with half of the distance to the nearest centre or the distance to the wall, then
 * each in turn takes the room that its neighbours leave.
 */
function radiiOf(centres: readonly Centre[]): number[] {
  const walls = centres.map(([x, y]) => Math.min(x, y, 1 - x, 1 - y));
  const distances = centres.map(([x, y]) => centres.map(([a, b]) => Math.hypot(x - a, y - b)));
  const nearest = distances.map((row, i) => Math.min(...row.filter((_, j) => j !== i)));
  const radii = walls.map((wall, i) => Math.min(wall, (nearest[i] ?? 0) / 2));
  centres.forEach((_, i) => {
    const free = (distances[i] ?? []).map((distance, j) => (j === i ? Infinity : distance - (radii[j] ?? 0)));
    radii[i] = Math.max(0, Math.min(walls[i] ?? 0, ...free));
  });
  return radii;
}
