import { expect, it } from 'vitest';
import { describeQueue, describeTrialsWait } from '../../view/wait.ts';

const QUEUE = { pool: 'lab', trials: 2, seconds: 40, slots: 4, taken: 3, holders: [], away: [] };
const away = (count: number) => Array.from({ length: count }, (_, n) => ({ host: `box${n}`, why: 'is drained' }));

it('names the pool, the longest wait, and the taken slots', () => {
  expect(describeQueue(QUEUE)).toBe('2 trials wait for a slot of lab, the first for 40 s; 3 of 4 slots are taken');
  expect(describeQueue({ ...QUEUE, trials: 1 })).toMatch(/^1 trial waits for/);
});

it('names the holders of the slots, with … for further ones', () => {
  const holders = [
    { trial: 'other/3', seconds: 7200 },
    { trial: 'mine/1', seconds: 30 },
  ];
  expect(describeQueue({ ...QUEUE, holders })).toMatch(
    /; 3 of 4 slots are taken: other\/3 for 2 h, mine\/1 for 30 s, …$/,
  );
  expect(describeQueue({ ...QUEUE, slots: 1, taken: 1, holders: holders.slice(0, 1) })).toMatch(
    /; 1 of 1 slot is taken: other\/3 for 2 h$/,
  );
  expect(describeTrialsWait({ ...QUEUE, trials: 1, taken: 2, holders })).toBe(
    'for a slot of lab, for 40 s; 2 of 4 slots are taken: other/3 for 2 h, mine/1 for 30 s',
  );
});

it('names the hosts that lend no slot, with the reasons, in one line', () => {
  const hosts = [...away(1), { host: 'b', why: 'is in quarantine: no\nroute' }];
  expect(describeQueue({ ...QUEUE, slots: 0, taken: 0, away: hosts })).toBe(
    '2 trials wait for a slot of lab, the first for 40 s; lab has no slot now; box0 is drained; ' +
      'b is in quarantine: no route',
  );
});

it('states that no host of the fleet is in the pool', () => {
  expect(describeTrialsWait({ ...QUEUE, slots: 0, taken: 0 })).toBe(
    'for a slot of lab, for 40 s; no host of the fleet is in lab',
  );
});

it('names five hosts and counts the others', () => {
  expect(describeQueue({ ...QUEUE, away: away(7) })).toMatch(/; box4 is drained; 2 other hosts lend no slot$/);
});

it('says that no worker takes proposal jobs, with the command, if places stay free or there are none', () => {
  const queue = { ...QUEUE, pool: 'agents', trials: 1, taken: 0 };
  const told =
    '; no worker takes proposal jobs (queue fleet-agents): ' +
    'start one with `npx perpetua worker --queues=fleet-agents`';
  expect(describeQueue({ ...queue, slots: 0 })).toBe(
    `1 trial waits for a place for its agent, the first for 40 s${told}`,
  );
  expect(describeTrialsWait({ ...queue, seconds: 90 })).toBe(`for a place for its agent, for 1 min 30 s${told}`);
  expect(describeTrialsWait(queue)).toBe('for a place for its agent, for 40 s; 0 of 4 places are taken');
  expect(describeTrialsWait({ ...queue, seconds: 90, taken: 4 })).toBe(
    'for a place for its agent, for 1 min 30 s; 4 of 4 places are taken',
  );
});
