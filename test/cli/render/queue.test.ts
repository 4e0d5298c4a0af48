import { expect, it } from 'vitest';
import { describeQueue } from '../../../cli/render/queue.ts';

const QUEUE = { pool: 'lab', trials: 2, seconds: 40, slots: 4, taken: 3, away: [] };

it('says what is waited for, since when, and how much of it is taken', () => {
  expect(describeQueue(QUEUE)).toBe('2 trials wait for a slot of lab for 40 s at most, 3 of 4 taken');
  expect(describeQueue({ ...QUEUE, trials: 1 })).toMatch(/^1 trial waits for/);
});

it('says which hosts lend nothing and why, in one line', () => {
  const away = [
    { host: 'a', why: 'is drained' },
    { host: 'b', why: 'is in quarantine: no\nroute' },
  ];
  expect(describeQueue({ ...QUEUE, slots: 0, taken: 0, away })).toBe(
    '2 trials wait for a slot of lab for 40 s at most, which has none now; a is drained; b is in quarantine: no route',
  );
});
