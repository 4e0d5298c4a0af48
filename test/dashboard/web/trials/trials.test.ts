import { describe, expect, it, test } from 'vitest';
import { keepPlaceInList } from '../../../../dashboard/web/pages/trials/use-list.ts';
import { rowsToForget, rowsToRead } from '../../../../dashboard/web/pages/trials/row-store.ts';
import { nextIndex } from '../../../../dashboard/web/pages/trials/next-index.ts';
import { trialEndLabel, facetLabel } from '../../../../dashboard/web/pages/trials/labels.ts';

const known = (rows: Record<number, number>) =>
  new Map(Object.entries(rows).map(([n, round]) => [Number(n), { round }]));

describe('rows to read', () => {
  it('are the visible rows that are not known, then the visible rows that may have changed', () => {
    expect(rowsToRead({ visible: [9, 8, 7, 6], known: known({ 9: 1, 8: 2, 3: 1 }), round: 2 })).toEqual([7, 6, 9]);
  });

  it('are none if all visible rows are known and current', () => {
    expect(rowsToRead({ visible: [9, 8], known: known({ 9: 2, 8: 2 }), round: 2 })).toEqual([]);
  });

  it('are at most 200, the limit of one request', () => {
    const visible = Array.from({ length: 500 }, (_, n) => n);
    expect(rowsToRead({ visible, known: new Map(), round: 0 })).toHaveLength(200);
  });
});

describe('rows to forget', () => {
  it('are the rows that were read longest ago, except for the visible rows', () => {
    expect(rowsToForget({ visible: [1, 2], known: known({ 1: 1, 5: 1, 6: 1, 7: 1 }) }, 2)).toEqual([5, 6]);
  });
});

describe('the list while a person reads it', () => {
  it('shows new trials while scrolled to the top', () => {
    expect(keepPlaceInList([2, 1], [3, 2, 1], true)).toEqual({ shown: [3, 2, 1], fresh: 0, outdated: false });
  });

  it('does not move when scrolled down, and shows the number of new trials', () => {
    expect(keepPlaceInList([2, 1], [4, 3, 2, 1], false)).toEqual({ shown: [2, 1], fresh: 2, outdated: true });
  });

  it('shows trials that are added at its end', () => {
    expect(keepPlaceInList([1, 2], [1, 2, 3], false)).toEqual({ shown: [1, 2, 3], fresh: 0, outdated: false });
  });

  it('stays when trials are removed, and is marked as outdated', () => {
    expect(keepPlaceInList([3, 2, 1], [3, 1], false)).toEqual({ shown: [3, 2, 1], fresh: 0, outdated: true });
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

  it('move nothing if they are no keys of navigation, or if the list is empty', () => {
    expect(nextIndex('a', { ...list, at: 3 })).toBeNull();
    expect(nextIndex('End', { page: 10, length: 0, at: -1 })).toBeNull();
  });
});

describe('the label of a trial', () => {
  test('of an ended trial equals the label of its filter', () => {
    for (const verdict of ['keep', 'discard', 'confirm', 'absorbed'] as const)
      expect(trialEndLabel({ status: 'completed', verdict })).toBe(facetLabel('verdict', verdict));
    for (const status of ['aborted', 'cached', 'crashed', 'timed_out', 'rejected'] as const)
      expect(trialEndLabel({ status, verdict: 'none' })).toBe(facetLabel('status', status));
  });

  test('has the progress of a trial under way', () => {
    const open = { status: null, verdict: 'none' } as const;
    expect(trialEndLabel({ ...open, stage: 'waiting for a slot', share: null })).toBe('waiting for a slot');
    expect(trialEndLabel({ ...open, stage: 'running', share: 0.42 })).toBe('running 42 %');
    expect(trialEndLabel(open)).toBe('under way');
  });
});
