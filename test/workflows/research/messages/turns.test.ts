import { expect, test } from 'vitest';
import { foldMessages, takeTurns } from '../../../../workflows/research/messages/turns.ts';

test('work is done one at a time and in order, also after a failure', async () => {
  const turns = takeTurns();
  let underWay = 0;
  let most = 0;
  const done: number[] = [];
  const work = (n: number) => async () => {
    most = Math.max(most, (underWay += 1));
    await Promise.resolve();
    underWay -= 1;
    if (n === 1) throw new Error('boom');
    return done.push(n);
  };
  const results = await Promise.allSettled([0, 1, 2, 3].map((n) => turns(work(n))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect({ done, most }).toEqual({ done: [0, 2, 3], most: 1 });
});

test('thousands of messages at once are written as a few with counts, one at a time', async () => {
  const written: string[] = [];
  let underWay = 0;
  const fold = foldMessages(async (message) => {
    expect((underWay += 1)).toBe(1);
    await Promise.resolve();
    underWay -= 1;
    written.push(message);
  });
  await Promise.all([
    ...Array.from({ length: 2100 }, () => fold('signal halt ignored')),
    ...Array.from({ length: 30 }, (_, n) => fold(`signal ${n} ignored`)),
  ]);
  expect(written[0]).toBe('signal halt ignored (2100 times)');
  expect(written.slice(1)).toEqual([
    ...Array.from({ length: 9 }, (_, n) => `signal ${n} ignored`),
    'and 21 more like these',
  ]);
  await fold('later');
  expect(written.at(-1)).toBe('later');
});

test('the sender of a message that cannot be written gets the error, and the next message is written', async () => {
  const written: string[] = [];
  const fold = foldMessages((message) => {
    if (message === 'bad') return Promise.reject(new Error('boom'));
    written.push(message);
    return Promise.resolve();
  });
  await expect(fold('bad')).rejects.toThrow('boom');
  await fold('good');
  expect(written).toEqual(['good']);
});
