import { expect, test } from 'vitest';
import { countedIn, numberOn } from '../../../domain/research/admission.ts';

const NEXT = { researchId: 'a', lastN: 7, taskHash: 'task', pool: 'local' };
const CONFIRM = { kind: 'confirm' as const, candidateId: 'c', ofTrial: 3 };

test('an admission numbers what is wanted first and new proposals after it, on from the last number', () => {
  const specs = numberOn(NEXT, { wants: [CONFIRM], searches: 2 });
  expect(specs).toMatchObject([
    { trialId: 'a/8', n: 8, ...CONFIRM, taskHash: 'task', pool: 'local' },
    { trialId: 'a/9', n: 9, kind: 'search', candidateId: null, ofTrial: null },
    { trialId: 'a/10', n: 10, kind: 'search' },
  ]);
  expect(numberOn(NEXT, { wants: [CONFIRM], searches: 2 })).toEqual(specs);
  expect(numberOn(NEXT, { wants: [], searches: -1 })).toEqual([]);
  expect(countedIn({ search: 4, baseline: 3 }, specs)).toEqual({ search: 6, baseline: 3, confirm: 1 });
});
