import { expect, test } from 'vitest';
import type { TestSpecification, Vitest } from 'vitest/node';
import { SlowFirst } from './slow-first.ts';

const PARTS = 3;
const LONG = ['a', 'b', 'c', 'd', 'e'].map((name) => `/clone/test/${name}.long.test.ts`);
const OTHERS = ['f', 'g'].map((name) => `/clone/test/${name}.test.ts`);

/** Paths of the files that one part of a run has. */
async function pathsOf(part: number): Promise<string[]> {
  const config = { root: '/clone', shard: { index: part, count: PARTS } };
  const files = [...LONG, ...OTHERS].map((moduleId) => ({ moduleId }) as TestSpecification);
  const chosen = await new SlowFirst({ config } as unknown as Vitest).shard(files);
  return chosen.map(({ moduleId }) => moduleId);
}

test('each long file is in one part, and every other file in each part', async () => {
  const parts = await Promise.all([1, 2, 3].map(pathsOf));
  expect(
    parts
      .flat()
      .filter((path) => LONG.includes(path))
      .toSorted(),
  ).toEqual(LONG);
  for (const part of parts) expect(part.filter((path) => !LONG.includes(path))).toEqual(OTHERS);
});
