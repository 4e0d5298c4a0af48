import { describe, expect, it, test } from 'vitest';
import { keepPlaceInList } from '../../../../dashboard/web/pages/trials/use-list.ts';
import { rowsToForget, rowsToRead } from '../../../../dashboard/web/pages/trials/row-store.ts';
import { nextIndex } from '../../../../dashboard/web/pages/trials/next-index.ts';
import { trialEndLabel, facetLabel } from '../../../../dashboard/web/pages/trials/labels.ts';

const known = (rows: Record<number, number>) =>
  new Map(Object.entries(rows).map(([n, round]) => [Number(n), { round }]));

describe('rows to read', () => {
  it('are those in sight that are not known, then those that may have changed', () => {
    expect(rowsToRead({ wanted: [9, 8, 7, 6], known: known({ 9: 1, 8: 2, 3: 1 }), round: 2 })).toEqual([7, 6, 9]);
  });

  it('are none where everything in sight is known as it is', () => {
    expect(rowsToRead({ wanted: [9, 8], known: known({ 9: 2, 8: 2 }), round: 2 })).toEqual([]);
  });

  it('are no more than one request takes', () => {
    const wanted = Array.from({ length: 500 }, (_, n) => n);
    expect(rowsToRead({ wanted, known: new Map(), round: 0 })).toHaveLength(200);
  });

  it('are forgotten from the oldest on, but for those in sight', () => {
    expect(rowsToForget({ wanted: [1, 2], known: known({ 1: 1, 5: 1, 6: 1, 7: 1 }) }, 2)).toEqual([5, 6]);
  });
});

describe('the list under the eyes of who reads', () => {
  it('is the newest one while it stands at its top', () => {
    expect(keepPlaceInList([2, 1], [3, 2, 1], true)).toEqual({ shown: [3, 2, 1], fresh: 0, behind: false });
  });

  it('does not move further below, and says how many trials are new', () => {
    expect(keepPlaceInList([2, 1], [4, 3, 2, 1], false)).toEqual({ shown: [2, 1], fresh: 2, behind: true });
  });

  it('grows at its end', () => {
    expect(keepPlaceInList([1, 2], [1, 2, 3], false)).toEqual({ shown: [1, 2, 3], fresh: 0, behind: false });
  });

  it('stays though trials left it, and is behind then', () => {
    expect(keepPlaceInList([3, 2, 1], [3, 1], false)).toEqual({ shown: [3, 2, 1], fresh: 0, behind: true });
  });
});

describe('keys', () => {
  const list = { page: 10, length: 25 };

  it('a key moves within the list, and stays at its ends', () => {
    expect(nextIndex('ArrowDown', { ...list, at: -1 })).toBe(0);
    expect(nextIndex('ArrowDown', { ...list, at: 24 })).toBe(24);
    expect(nextIndex('ArrowUp', { ...list, at: 0 })).toBe(0);
    expect(nextIndex('PageDown', { ...list, at: 20 })).toBe(24);
    expect(nextIndex('PageUp', { ...list, at: 14 })).toBe(4);
    expect(nextIndex('Home', { ...list, at: 14 })).toBe(0);
    expect(nextIndex('End', { ...list, at: 14 })).toBe(24);
  });

  it('other keys, and an empty list, move nothing', () => {
    expect(nextIndex('a', { ...list, at: 3 })).toBeNull();
    expect(nextIndex('End', { page: 10, length: 0, at: -1 })).toBeNull();
  });
});

describe('words', () => {
  test('a verdict that counts at its end reads as it does at a row', () => {
    for (const verdict of ['keep', 'discard', 'confirm', 'absorbed'] as const)
      expect(trialEndLabel({ status: 'completed', verdict })).toBe(facetLabel('verdict', verdict));
    for (const status of ['aborted', 'cached', 'crashed', 'timed_out', 'rejected'] as const)
      expect(trialEndLabel({ status, verdict: 'none' })).toBe(facetLabel('status', status));
  });

  test('a trial under way tells how far it is', () => {
    const open = { status: null, verdict: 'none' } as const;
    expect(trialEndLabel({ ...open, stage: 'waiting for a slot', share: null })).toBe('waiting for a slot');
    expect(trialEndLabel({ ...open, stage: 'running', share: 0.42 })).toBe('running 42 %');
    expect(trialEndLabel(open)).toBe('under way');
  });
});
