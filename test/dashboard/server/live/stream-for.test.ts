import { expect, test, vi } from 'vitest';
import type { Subscriber } from '../../../../dashboard/server/live/hub.ts';
import { streamFor } from '../../../../dashboard/server/live/stream.ts';

/** Who is subscribed now. */
function fakeHub() {
  const subscribers = new Set<Subscriber>();
  return {
    subscribers,
    subscribe: (one: Subscriber) => {
      subscribers.add(one);
      return () => void subscribers.delete(one);
    },
  };
}

test('a reader that takes nothing is dropped, and one that is gone hears no more', async () => {
  const hub = fakeHub();
  const drop = vi.fn();
  const stream = streamFor(hub, { stuckMs: 10, drop });
  expect(hub.subscribers.size).toBe(1);
  await vi.waitFor(() => expect(drop).toHaveBeenCalledOnce());
  // As the server does for a connection that ended.
  await stream.cancel();
  expect(hub.subscribers.size).toBe(0);
});

test('a reader that leaves while nothing happens is let go at once', async () => {
  const hub = fakeHub();
  const reader = streamFor(hub, { stuckMs: 600_000, drop: () => undefined }).getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toMatch(/^retry: /);
  const next = reader.read();
  await reader.cancel();
  expect((await next).done).toBe(true);
  expect(hub.subscribers.size).toBe(0);
});
