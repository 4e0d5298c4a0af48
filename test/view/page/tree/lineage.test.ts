import { expect, test } from 'vitest';
import { Lineage } from '../../../../view/page/tree/lineage.ts';

type Row = [n: number, candidateId: string, parentId: string | null];

function lineageOf(...rows: Row[]): Lineage {
  const lineage = new Lineage();
  for (const [n, candidateId, parentId] of rows) lineage.add({ n, candidateId, parentId });
  return lineage;
}

const FAMILY: Row[] = [
  [1, 'base', null],
  [2, 'a', 'base'],
  [3, 'b', 'base'],
  [4, 'aa', 'a'],
  [5, 'ab', 'a'],
  [6, 'aab', 'aa'],
];

test('the parent of a candidate is that of the first trial that ran it, in whatever order trials are added', () => {
  const rows: Row[] = [
    [7, 'x', 'b'],
    [4, 'x', 'a'],
    [9, 'x', null],
    [4, 'x', 'a'],
  ];
  expect(lineageOf(...FAMILY, ...rows).parentOf('x')).toBe('a');
  expect(lineageOf(...rows.reverse(), ...FAMILY).wayTo('x')).toEqual(['base', 'a', 'x']);
});

test('only candidates that a trial ran are counted, not parents that no trial ran', () => {
  expect(lineageOf([1, 'a', 'unrun'], [2, 'a', 'unrun'], [3, 'b', 'a']).candidates).toBe(2);
  expect(lineageOf([1, 'a', 'unrun']).wayTo('a')).toEqual(['unrun', 'a']);
});

test('hidden candidates are counted at the nearest shown candidate', () => {
  const below = lineageOf(...FAMILY).below(new Set(['base', 'a']));
  expect(below).toEqual(
    new Map([
      ['base', { children: 2, hidden: 1 }],
      ['a', { children: 2, hidden: 3 }],
    ]),
  );
});

test('candidates beside or above all shown ones are not counted', () => {
  expect(lineageOf(...FAMILY).below(new Set(['aa']))).toEqual(new Map([['aa', { children: 1, hidden: 1 }]]));
});

test('an unknown candidate has no candidates below it', () => {
  expect(lineageOf(...FAMILY).below(new Set(['other']))).toEqual(new Map([['other', { children: 0, hidden: 0 }]]));
});

test('a candidate that is its own parent is a root, and a circle ends', () => {
  const lineage = lineageOf([1, 'a', 'a'], [2, 'b', 'c'], [3, 'c', 'b'], [4, 'd', 'c']);
  expect(lineage.wayTo('a')).toEqual(['a']);
  expect(lineage.wayTo('d')).toEqual(['b', 'c', 'd']);
  expect(lineage.below(new Set(['a', 'd'])).get('d')).toEqual({ children: 0, hidden: 0 });
});
