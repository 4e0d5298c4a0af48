import { describe, expect, it, test } from 'vitest';
import { isInStep, samplePositionOf, sampleRoom } from '../../../domain/learning/sample-position.ts';
import { droppable } from '../../../domain/learning/weights/droppable.ts';

const PLAN = { batch: 8, group: 4, staleness: 0 };

describe('the position of a sample', () => {
  test.each([
    [1, { g: 1, k: 1 }],
    [4, { g: 1, k: 1 }],
    [5, { g: 2, k: 1 }],
    [8, { g: 2, k: 1 }],
    [9, { g: 3, k: 2 }],
  ])('follows from its number %d alone', (seq, position) => {
    expect(samplePositionOf(seq, PLAN)).toEqual(position);
  });

  test('is a group of its own if no policy learns', () => {
    expect(samplePositionOf(7, null)).toEqual({ g: 7, k: 7 });
  });
});

describe('room for samples', () => {
  const at = { closed: 0, due: null, joined: 0, open: 0, halted: null, pinned: false };

  test('is one batch in lock step, minus the admitted trials', () => {
    expect(sampleRoom(PLAN, at)).toEqual({ room: 8, waits: null });
    expect(sampleRoom(PLAN, { ...at, joined: 3, open: 2 })).toEqual({ room: 3, waits: null });
  });

  test('is 0, with the reason, until the update has ended, and then a batch again', () => {
    expect(sampleRoom(PLAN, { ...at, joined: 8 })).toMatchObject({ room: 0, waits: 'batch 1 is on its way' });
    expect(sampleRoom(PLAN, { ...at, joined: 8, due: 1 })).toMatchObject({ room: 0, waits: 'update 1 is at work' });
    expect(sampleRoom(PLAN, { ...at, joined: 8, closed: 1 })).toEqual({ room: 8, waits: null });
  });

  test('is a wait in lock step only if the wait ends by itself', () => {
    expect(isInStep(sampleRoom(PLAN, { ...at, joined: 8 }).waits)).toBe(true);
    expect(isInStep(sampleRoom(PLAN, { ...at, joined: 8, due: 1 }).waits)).toBe(true);
    expect(isInStep(sampleRoom(PLAN, { ...at, halted: 'entropy' }).waits)).toBe(false);
  });

  test('grows by one batch for each version that samples may be stale', () => {
    expect(sampleRoom({ ...PLAN, staleness: 2 }, { ...at, joined: 8, due: 1 })).toEqual({ room: 16, waits: null });
  });

  test('is 0 if a gate halted the learning, and unlimited if a person pinned a version', () => {
    const halted = { ...at, halted: 'entropy 0 is below 0.002' };
    expect(sampleRoom(PLAN, halted)).toEqual({ room: 0, waits: 'learning is halted: entropy 0 is below 0.002' });
    expect(sampleRoom(PLAN, { ...halted, pinned: true })).toEqual({ room: null, waits: null });
  });
});

describe('weights that may be dropped', () => {
  const versions = (...ks: number[]) => ks.map((k) => ({ k, held: false }));

  it.each([
    ['the newest stay', versions(1, 2, 3, 5), { keep: 2, inUse: [] }, [1, 2]],
    ['weights in use stay, besides the newest', versions(1, 2, 3, 5), { keep: 2, inUse: [1] }, [2]],
    ['weights that a person named stay', [{ k: 1, held: true }, ...versions(2, 3)], { keep: 1, inUse: [] }, [2]],
    ['weights up to the number to keep stay', versions(1, 2), { keep: 2, inUse: [] }, []],
  ])('%s', (_, stored, rule, dropped) => {
    expect(droppable(stored, rule)).toEqual(dropped);
  });
});
