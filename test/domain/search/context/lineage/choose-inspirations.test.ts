import { expect, test } from 'vitest';
import {
  chooseInspirations,
  stepsBetween,
  type Placed,
} from '../../../../../domain/search/context/lineage/choose-inspirations.ts';

/** A candidate by its path from the original: `a/b` was made from `a`, which was made from the original. */
function placed(path: string, niche: string | null = null): Placed {
  const [candidateId = '', ...ancestors] = path
    .split('/')
    .map((_, i, all) => all.slice(0, i + 1).join('/'))
    .reverse();
  return { candidateId, ancestors: [...ancestors, 'original'], niche };
}

test('the steps between two candidates go over their nearest common ancestor', () => {
  expect(stepsBetween(placed('a/b'), placed('a/b'))).toBe(0);
  expect(stepsBetween(placed('a/b'), placed('a'))).toBe(1);
  expect(stepsBetween(placed('a/b'), placed('a/c/d'))).toBe(3);
  expect(stepsBetween(placed('a/b'), placed('x'))).toBe(3);
  const foreign = { candidateId: 'f', ancestors: ['g'], niche: null };
  expect(stepsBetween(placed('a'), foreign)).toBe(4);
});

test('inspirations are far from the parent and from each other, and of equal ones the best comes first', () => {
  const pool = ['a/b/c', 'a/b', 'x', 'y/z', 'y', 'a'].map((path) => placed(path));
  const chosen = chooseInspirations(pool, { parent: placed('a/b'), count: 3 });
  expect(chosen).toEqual(['y/z', 'x', 'a/b/c']);
});

test('a candidate of a niche that none of the chosen has comes first', () => {
  const pool = [placed('a/b/c', 'island 1'), placed('x/y/z', 'island 1'), placed('a/d', 'island 2')];
  const chosen = chooseInspirations(pool, { parent: placed('a/b', 'island 1'), count: 2 });
  expect(chosen).toEqual(['a/d', 'x/y/z']);
});

test('the parent is never its own inspiration, and a small pool gives few', () => {
  expect(chooseInspirations([placed('a'), placed('b')], { parent: placed('a'), count: 5 })).toEqual(['b']);
  expect(chooseInspirations([placed('a')], { parent: placed('a'), count: 5 })).toEqual([]);
  expect(chooseInspirations([placed('b')], { parent: placed('a'), count: 0 })).toEqual([]);
});
