import { describe, expect, it, test } from 'vitest';
import { keepPlaceInList } from '../../../../dashboard/web/pages/trials/use-list.ts';
import { rowsToForget, rowsToRead } from '../../../../dashboard/web/pages/trials/row-store.ts';
import { nextIndex } from '../../../../dashboard/web/pages/trials/next-index.ts';
import { trialEndLabel, facetLabel } from '../../../../dashboard/web/pages/trials/labels.ts';

const known = (rows: Record<number, number>) =>
  new Map(Object.entries(rows).map(([n, round]) => [Number(n), { round }]));

describe('rows to read', () => {
  it('are the visible rows that are not known, then those that may have changed', () => {
    expect(rowsToRead({ wanted: [9, 8, 7, 6], known: known({ 9: 1, 8: 2, 3: 1 }), round: 2 })).toEqual([7, 6, 9]);
  });

  it('are none if all visible rows are known and current', () => {
    expect(rowsToRead({ wanted: [9, 8], known: known({ 9: 2, 8: 2 }), round: 2 })).toEqual([]);
  });

  it('are no more than one request allows', () => {
    const wanted = Array.from({ length: 500 }, (_, n) => n);
    expect(rowsToRead({ wanted, known: new Map(), round: 0 })).toHaveLength(200);
  });

  it('are forgotten from the oldest on, except for the visible ones', () => {
    expect(rowsToForget({ wanted: [1, 2], known: known({ 1: 1, 5: 1, 6: 1, 7: 1 }) }, 2)).toEqual([5, 6]);
  });
});

describe('the list while a person reads it', () => {
  it('is the newest one while it is scrolled to its top', () => {
    expect(keepPlaceInList([2, 1], [3, 2, 1], true)).toEqual({ shown: [3, 2, 1], fresh: 0, behind: false });
  });

  it('does not move when scrolled down, and says how many trials are new', () => {
    expect(keepPlaceInList([2, 1], [4, 3, 2, 1], false)).toEqual({ shown: [2, 1], fresh: 2, behind: true });
  });

  it('grows at its end', () => {
    expect(keepPlaceInList([1, 2], [1, 2, 3], false)).toEqual({ shown: [1, 2, 3], fresh: 0, behind: false });
  });

  it('stays when trials leave it, and is marked as behind', () => {
    expect(keepPlaceInList([3, 2, 1], [3, 1], false)).toEqual({ shown: [3, 2, 1], fresh: 0, behind: true });
  });
});

describe('keys', () => {
  const list = { page: 10, length: 25 };

  it('move within the list, and stay at its ends', () => {
    expect(nextIndex('ArrowDown', { ...list, at: -1 })).toBe(0);
    expect(nextIndex('ArrowDown', { ...list, at: 24 })).toBe(24);
    expect(nextIndex('ArrowUp', { ...list, at: 0 })).toBe(0);
    expect(nextIndex('PageDown', { ...list, at: 20 })).toBe(24);
    expect(nextIndex('PageUp', { ...list, at: 14 })).toBe(4);
    expect(nextIndex('Home', { ...list, at: 14 })).toBe(0);
    expect(nextIndex('End', { ...list, at: 14 })).toBe(24);
  });

  it('move nothing if they are other keys, or in an empty list', () => {
    expect(nextIndex('a', { ...list, at: 3 })).toBeNull();
    expect(nextIndex('End', { page: 10, length: 0, at: -1 })).toBeNull();
  });
});

describe('the label of a trial', () => {
  test('is the same at its end as in a row', () => {
    for (const verdict of ['keep', 'discard', 'confirm', 'absorbed'] as const)
      expect(trialEndLabel({ status: 'completed', verdict })).toBe(facetLabel('verdict', verdict));
    for (const status of ['aborted', 'cached', 'crashed', 'timed_out', 'rejected'] as const)
      expect(trialEndLabel({ status, verdict: 'none' })).toBe(facetLabel('status', status));
  });

  test('has the progress of a running trial', () => {
    const open = { status: null, verdict: 'none' } as const;
    expect(trialEndLabel({ ...open, stage: 'waiting for a slot', share: null })).toBe('waiting for a slot');
    expect(trialEndLabel({ ...open, stage: 'running', share: 0.42 })).toBe('running 42 %');
    expect(trialEndLabel(open)).toBe('under way');
  });
});
