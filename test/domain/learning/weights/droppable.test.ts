import { expect, it } from 'vitest';
import { droppable } from '../../../../domain/learning/weights/droppable.ts';

const versions = (...ks: number[]) => ks.map((k) => ({ k, held: false }));

it.each([
  ['the newest stay', versions(1, 2, 3, 5), { keep: 2, inUse: [] }, [1, 2]],
  ["what is in use stays, and takes no other one's place", versions(1, 2, 3, 5), { keep: 2, inUse: [1] }, [2]],
  ['what a person has named stays', [{ k: 1, held: true }, ...versions(2, 3)], { keep: 1, inUse: [] }, [2]],
  ['few enough stay', versions(1, 2), { keep: 2, inUse: [] }, []],
])('%s', (_, of, by, gone) => {
  expect(droppable(of, by)).toEqual(gone);
});
