import { expect, test } from 'vitest';
import { createOfferQueue } from '../../../workers/queues/offer-queue.ts';

test('a queue that closes waits until the offer under way has been given back', async () => {
  const events: string[] = [];
  let arrive: (slotId: string) => void = () => undefined;
  const offered = new Promise<string>((resolve) => (arrive = resolve));
  const queue = createOfferQueue({
    offer: () => offered,
    giveBack: async (slotId) => void events.push(`given back ${slotId}`),
    onError: (error) => void events.push(String(error)),
  });
  const waiter = queue.next(new AbortController().signal);
  const closed = queue.close().then(() => events.push('closed'));
  await expect(waiter).rejects.toThrow('stopped waiting');
  expect(events).toEqual([]);
  arrive('pool/0');
  await closed;
  expect(events).toEqual(['given back pool/0', 'closed']);
});

test('a failed offer is reported, and the next wake asks for another', async () => {
  const errors: unknown[] = [];
  const answers = [Promise.reject(new Error('the database is away')), Promise.resolve('pool/0')];
  const queue = createOfferQueue({
    offer: () => answers.shift() ?? Promise.resolve(undefined),
    giveBack: async () => undefined,
    onError: (error) => void errors.push(error),
  });
  const waiter = queue.next(new AbortController().signal);
  await expect.poll(() => errors).toHaveLength(1);
  queue.wake();
  await expect(waiter).resolves.toBe('pool/0');
  await queue.close();
});
