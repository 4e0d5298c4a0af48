import { expect, test, vi } from 'vitest';
import type { Subscriber } from '../../../../dashboard/server/live/hub.ts';
import { streamFor } from '../../../../dashboard/server/live/stream.ts';

/** A hub that only keeps its subscribers. */
function fakeHub() {
  const subscribers = new Set<Subscriber>();
  return {
    subscribers,
    subscribe: (subscriber: Subscriber) => {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
  };
}

test('a reader that reads nothing is dropped, and unsubscribed once it is gone', async () => {
  const hub = fakeHub();
  const drop = vi.fn();
  const stream = streamFor(hub, { stuckMs: 10, drop });
  expect(hub.subscribers.size).toBe(1);
  await vi.waitFor(() => expect(drop).toHaveBeenCalledOnce());
  // The server cancels the stream of a connection that ended.
  await stream.cancel();
  expect(hub.subscribers.size).toBe(0);
});

test('a reader that leaves while nothing happens is unsubscribed at once', async () => {
  const hub = fakeHub();
  const reader = streamFor(hub, { stuckMs: 600_000, drop: () => undefined }).getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toMatch(/^retry: /);
  const next = reader.read();
  await reader.cancel();
  expect((await next).done).toBe(true);
  expect(hub.subscribers.size).toBe(0);
});
