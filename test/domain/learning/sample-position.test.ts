import { describe, expect, it, test } from 'vitest';
import { isInStep, samplePositionOf, sampleRoom } from '../../../domain/learning/sample-position.ts';
import { droppable } from '../../../domain/learning/weights/droppable.ts';

const PLAN = { batch: 8, group: 4, staleness: 0 };

describe('the place of a sample', () => {
  test.each([
    [1, { g: 1, k: 1 }],
    [4, { g: 1, k: 1 }],
    [5, { g: 2, k: 1 }],
    [8, { g: 2, k: 1 }],
    [9, { g: 3, k: 2 }],
  ])('of number %d follows from it alone', (seq, place) => {
    expect(samplePositionOf(seq, PLAN)).toEqual(place);
  });

  test('is a group of its own where nothing learns', () => {
    expect(samplePositionOf(7, null)).toEqual({ g: 7, k: 7 });
  });
});

describe('room for samples', () => {
  const at = { closed: 0, due: null, joined: 0, open: 0, halted: null, pinned: false };

  test('is one batch in lock step, less what was admitted and has not joined yet', () => {
    expect(sampleRoom(PLAN, at)).toEqual({ room: 8, waits: null });
    expect(sampleRoom(PLAN, { ...at, joined: 3, open: 2 })).toEqual({ room: 3, waits: null });
  });

  test('is none, with the reason, until the update has ended, and a batch again after it', () => {
    expect(sampleRoom(PLAN, { ...at, joined: 8 })).toMatchObject({ room: 0, waits: 'batch 1 is on its way' });
    expect(sampleRoom(PLAN, { ...at, joined: 8, due: 1 })).toMatchObject({ room: 0, waits: 'update 1 is at work' });
    expect(sampleRoom(PLAN, { ...at, joined: 8, closed: 1 })).toEqual({ room: 8, waits: null });
  });

  test('waits in step where it goes on by itself, and only there', () => {
    expect(isInStep(sampleRoom(PLAN, { ...at, joined: 8 }).waits)).toBe(true);
    expect(isInStep(sampleRoom(PLAN, { ...at, joined: 8, due: 1 }).waits)).toBe(true);
    expect(isInStep(sampleRoom(PLAN, { ...at, halted: 'entropy' }).waits)).toBe(false);
  });

  test('is as many batches more as samples may be stale', () => {
    expect(sampleRoom({ ...PLAN, staleness: 2 }, { ...at, joined: 8, due: 1 })).toEqual({ room: 16, waits: null });
  });

  test('is none where a gate halted the learning, and without a limit where a person pinned a version', () => {
    const halted = { ...at, halted: 'entropy 0 is below 0.002' };
    expect(sampleRoom(PLAN, halted)).toEqual({ room: 0, waits: 'learning is halted: entropy 0 is below 0.002' });
    expect(sampleRoom(PLAN, { ...halted, pinned: true })).toEqual({ room: null, waits: null });
  });
});

describe('weights that may be dropped', () => {
  const versions = (...ks: number[]) => ks.map((k) => ({ k, held: false }));

  it.each([
    ['the newest stay', versions(1, 2, 3, 5), { keep: 2, inUse: [] }, [1, 2]],
    ["what is in use stays, and takes no other one's place", versions(1, 2, 3, 5), { keep: 2, inUse: [1] }, [2]],
    ['what a person has named stays', [{ k: 1, held: true }, ...versions(2, 3)], { keep: 1, inUse: [] }, [2]],
    ['few enough stay', versions(1, 2), { keep: 2, inUse: [] }, []],
  ])('%s', (_, of, by, gone) => {
    expect(droppable(of, by)).toEqual(gone);
  });
});
