import type { HttpBindings } from '@hono/node-server';
import type { Handler } from 'hono';
import type { Hub } from './hub.ts';
import { createOutbox } from './outbox.ts';

/** Longest silence of a stream: a proxy may cut an idle connection. */
const KEEP_ALIVE_MS = 10_000;
/** Time without a read after which the server drops a stream. The browser connects again when it can. */
const STUCK_MS = 30_000;

/** Serves the server-sent events of the hub. */
export const serveStream =
  (hub: Hub): Handler<{ Bindings: HttpBindings }> =>
  (c) => {
    c.header('content-type', 'text/event-stream; charset=utf-8');
    c.header('cache-control', 'no-store');
    // Tells a proxy not to buffer the stream.
    c.header('x-accel-buffering', 'no');
    if (c.req.method === 'HEAD') return c.body(null);
    return c.body(streamFor(hub, { stuckMs: STUCK_MS, drop: () => c.env.outgoing.destroy() }));
  };

/** A stream of the hub's changes. Calls `drop` if the reader takes nothing for `stuckMs` milliseconds. */
export function streamFor(
  hub: Pick<Hub, 'subscribe'>,
  { stuckMs, drop }: { stuckMs: number; drop: () => void },
): ReadableStream<Uint8Array> {
  const outbox = createOutbox();
  const leave = hub.subscribe(outbox);
  const stuck = setTimeout(drop, stuckMs);
  return new ReadableStream<Uint8Array>(
    {
      // The high-water mark 0 makes the stream pull only after the reader has taken the previous chunk.
      pull: async (controller) => {
        stuck.refresh();
        const text = await outbox.take(KEEP_ALIVE_MS);
        controller.enqueue(Buffer.from(text ?? ': still here\n\n'));
      },
      cancel: () => {
        clearTimeout(stuck);
        leave();
        outbox.wake();
      },
    },
    { highWaterMark: 0 },
  );
}
