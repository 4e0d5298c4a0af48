import { expect, test } from 'vitest';
import { forestOf, foldedIn } from '../../../../dashboard/web/pages/lineage/forest.ts';
import {
  namePosition,
  fitCamera,
  layoutOf,
  neighbourOf,
  toScreen,
  readableCamera,
  READABLE,
  zoomCamera,
} from '../../../../dashboard/web/pages/lineage/layout.ts';
import { placeNames } from '../../../../dashboard/web/pages/lineage/place-names.ts';
import { stepsOf } from '../../../../dashboard/web/pages/lineage/steps.ts';
import type { Claim } from '../../../../dashboard/api/research.ts';
import type { Node, Tree } from '../../../../dashboard/api/tree.ts';

const node = (n: number, parent: number | null, over: Partial<Node> = {}): Node => ({
  candidateId: `c${n}`,
  parentId: parent === null ? null : `c${parent}`,
  n,
  value: 4 - n / 10,
  scored: 1,
  runs: 1,
  verdict: 'keep',
  status: 'completed',
  hypothesis: null,
  role: 'none',
  children: 0,
  hidden: 0,
  ...over,
});
const treeOf = (path: number[], nodes: Node[]): Tree => ({
  path: path.map((n) => `c${n}`),
  nodes,
  candidates: nodes.length,
});
const TREE = treeOf(
  [1, 4, 6],
  [node(1, null), node(2, 1, { hidden: 40 }), node(3, 1), node(4, 1), node(5, 4), node(6, 4)],
);
const PATH = new Set(TREE.path);

test('candidates that a person unfolds join the tree, and are no longer counted as hidden', () => {
  const below = treeOf([], [node(2, 1, { hidden: 38 }), node(7, 2), node(8, 2)]);
  const forest = forestOf([TREE, below]);
  expect(forest.byId.get('c2')?.children).toEqual(['c7', 'c8']);
  expect([foldedIn(forestOf([TREE])), foldedIn(forest)]).toEqual([40, 38]);
  expect(forest.roots).toEqual(['c1']);
});

test('a candidate whose parent is not shown is a root', () => {
  expect(forestOf([treeOf([], [node(9, 8), node(1, null)])]).roots).toEqual(['c9', 'c1']);
});

test('the path to the best lies between its siblings', () => {
  const { places } = layoutOf(forestOf([TREE]), PATH);
  const order = (parent: string) =>
    places
      .filter(({ node: { parentId } }) => parentId === parent)
      .sort((a, b) => a.y - b.y)
      .map(({ node: { n } }) => n);
  expect(order('c1')).toEqual([2, 4, 3]);
  expect(order('c4')).toEqual([5, 6]);
});

test('a generation is a column, and parents come before their children', () => {
  const { places } = layoutOf(forestOf([TREE]), PATH);
  expect(places.map(({ x, depth }) => x / depth)).toEqual(places.map(({ depth }) => ((depth - 1) * 132) / depth));
  places.forEach(({ parent }, index) => expect(parent === null || parent < index).toBe(true));
});

test('arrow keys walk to the parent, a child and the neighbours of a generation', () => {
  const layout = layoutOf(forestOf([TREE]), PATH);
  const go = (from: string, way: 'up' | 'down' | 'left' | 'right') =>
    layout.places[neighbourOf(layout, layout.indexOf.get(from) ?? -1, way)]?.node.candidateId;
  expect([go('c1', 'right'), go('c4', 'left'), go('c4', 'up'), go('c4', 'down')]).toEqual(['c2', 'c1', 'c2', 'c3']);
  expect([go('c1', 'up'), go('c3', 'right'), go('c1', 'left')]).toEqual(['c1', 'c3', 'c1']);
});

test('a zoom keeps the point under the pointer', () => {
  const [camera, size, point] = [
    { scale: 1, x: 10, y: 20 },
    { width: 400, height: 300 },
    { x: 50, y: -30 },
  ];
  const closer = zoomCamera(camera, 2, point);
  const under = { x: 10 + 50, y: 20 - 30 };
  expect(toScreen(closer, size, under)).toEqual(toScreen(camera, size, under));
  expect(closer.scale).toBe(2);
});

test('a tree that is too large to read at once is shown around the best', () => {
  const chain = Array.from({ length: 60 }, (_, n) => node(n + 1, n === 0 ? null : n));
  const layout = layoutOf(
    forestOf([
      treeOf(
        chain.map(({ n }) => n ?? 0),
        chain,
      ),
    ]),
    new Set(),
  );
  const size = { width: 800, height: 400 };
  const camera = readableCamera(layout, size, 'c60');
  expect(fitCamera(layout, size).scale).toBeLessThan(READABLE);
  expect(camera.scale).toBe(READABLE);
  const best = layout.places[layout.indexOf.get('c60') ?? -1];
  if (!best) throw new Error('expected a place');
  expect(toScreen(camera, size, best).x).toBeGreaterThan(0);
  expect(toScreen(camera, size, best).x).toBeLessThan(800);
});

test('a deep lineage is laid out without an overflow of the stack', () => {
  const chain = Array.from({ length: 3000 }, (_, n) => node(n + 1, n === 0 ? null : n));
  expect(layoutOf(forestOf([treeOf([], chain)]), new Set()).places).toHaveLength(3000);
});

const claim = (n: number, value: number): Claim => ({
  made: { value, sd: 0.1, n: 5, low: value - 0.05, high: value + 0.05 },
  value,
  sd: 0.1,
  n: 5,
  low: value - 0.05,
  high: value + 0.05,
  seq: n,
  ofTrial: n,
  candidateId: `c${n}`,
  reason: 'better',
  by: 'gate',
  at: '2026-11-27T00:00:00Z',
  ended: n,
  hypothesis: null,
});

test.each([
  ['minimize', 1],
  ['maximize', -1],
] as const)('a gain is positive for a better value: %s', (direction, sign) => {
  const steps = stepsOf({ tree: TREE, claims: [claim(4, 3.6)], direction });
  expect(steps.map(({ gain }) => (gain === null ? null : Math.round(gain * 10) / 10))).toEqual([
    null,
    sign * 0.3,
    sign * 0.2,
  ]);
  expect(steps.map(({ total }) => (total === null ? null : Math.round(total * 10) / 10))).toEqual([
    null,
    sign * 0.3,
    sign * 0.5,
  ]);
});

test('a step counts as claimed only if it has a claim', () => {
  const steps = stepsOf({ tree: TREE, claims: [claim(4, 3.6)], direction: 'minimize' });
  expect(steps.map((step) => step.claim?.value ?? null)).toEqual([null, 3.6, null]);
});

test('without the unclaimed steps, a gain is over the previous claim', () => {
  const steps = stepsOf({ tree: TREE, claims: [claim(6, 3.4)], direction: 'minimize', claimed: true });
  expect(steps.map(({ node: { n } }) => n)).toEqual([1, 6]);
  expect(steps[1]?.gain).toBeCloseTo(0.5);
});

test('a step without a value has no gain, and neither has the next step', () => {
  const nodes = TREE.nodes.map((each) => (each.n === 4 ? { ...each, value: null } : each));
  const steps = stepsOf({ tree: { ...TREE, nodes }, claims: [], direction: 'minimize' });
  expect(steps.map(({ gain, total }) => [gain === null, total === null])).toEqual([
    [true, true],
    [true, true],
    [true, false],
  ]);
});

test('the left edge cuts no name of a visible candidate', () => {
  const root = { chosen: true, root: true };
  expect(namePosition({ x: 100, y: 50 }, root)).toEqual({ x: 60, y: 39 });
  expect(namePosition({ x: 15, y: 50 }, root)).toEqual({ x: 4, y: 39 });
  expect(namePosition({ x: 2, y: 50 }, { chosen: true, root: false })).toEqual({ x: 4, y: 39 });
  // The name of a candidate that is out of sight is not moved to the edge.
  expect(namePosition({ x: -90, y: 50 }, root).x).toBe(-130);
});

test.each([5, 15, 30, 100])('no name overlaps another on a path of %i steps, and the best keeps its mean', (steps) => {
  const numbers = Array.from({ length: steps + 1 }, (_, index) => index + 1);
  const roles = new Map([
    [1, 'baseline'],
    [steps + 1, 'best'],
  ] as const);
  const tree = treeOf(
    numbers,
    numbers.map((n) => node(n, n === 1 ? null : n - 1, { value: 1_276_424.5 - n, role: roles.get(n) ?? 'none' })),
  );
  const path = new Set(tree.path);
  const layout = layoutOf(forestOf([tree]), path);
  const size = { width: 1100, height: 400 };
  const widthOf = (text: string): number => text.length * 6.5;
  for (const camera of [readableCamera(layout, size, tree.path.at(-1)), fitCamera(layout, size)]) {
    const names = placeNames({ layout, camera, path, selected: null, size, widthOf });
    for (const [index, one] of names.entries())
      for (const other of names.slice(index + 1)) {
        const apart = one.x + widthOf(one.text) <= other.x || other.x + widthOf(other.text) <= one.x;
        expect(apart || Math.abs(one.y - other.y) >= 14, `${one.text} overlaps ${other.text}`).toBe(true);
      }
    expect(names.find(({ index }) => index === steps)?.text).toMatch(/^#\d+ 1\u202f276\u202f/);
    if (steps <= 15) expect(names.length).toBeGreaterThan(4);
  }
});
