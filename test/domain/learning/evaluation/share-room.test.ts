import { expect, test } from 'vitest';
import { shareRoom } from '../../../../domain/learning/evaluation/share-room.ts';

const asked = { room: 4, proposals: 0, waiting: 10, open: 0, window: 4 };

test('evaluations take the room that proposals leave', () => {
  expect(shareRoom(asked)).toEqual({ evaluations: 4, proposals: 0 });
  expect(shareRoom({ ...asked, proposals: 1, open: 1 })).toEqual({ evaluations: 3, proposals: 1 });
  expect(shareRoom({ ...asked, waiting: 1, proposals: 9 })).toEqual({ evaluations: 1, proposals: 3 });
});

test('evaluations have a quarter of a window that proposals would fill, and nothing of a window below four', () => {
  expect(shareRoom({ ...asked, room: 8, window: 8, proposals: 8 })).toEqual({ evaluations: 2, proposals: 6 });
  expect(shareRoom({ ...asked, room: 6, window: 8, proposals: 8, open: 2 })).toEqual({ evaluations: 0, proposals: 6 });
  expect(shareRoom({ ...asked, room: 3, window: 3, proposals: 8 })).toEqual({ evaluations: 0, proposals: 3 });
});
