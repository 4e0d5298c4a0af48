import type { HttpBindings } from '@hono/node-server';
import type { Handler } from 'hono';
import type { Hub } from './hub.ts';
import { createOutbox } from './outbox.ts';

/** A proxy cuts what is silent for longer; so a stream never is. */
const KEEP_ALIVE_MS = 10_000;
/** One that has read nothing for so long is given up: its browser connects again when it can. */
const STUCK_MS = 30_000;

/** Server-sent events: each change, as long as the reader takes it. */
export const serveStream =
  (hub: Hub): Handler<{ Bindings: HttpBindings }> =>
  (c) => {
    c.header('content-type', 'text/event-stream; charset=utf-8');
    c.header('cache-control', 'no-store');
    // A proxy must not wait for more.
    c.header('x-accel-buffering', 'no');
    if (c.req.method === 'HEAD') return c.body(null);
    return c.body(streamFor(hub, { stuckMs: STUCK_MS, drop: () => c.env.outgoing.destroy() }));
  };

/** Only what its reader has yet to take is kept; `drop` is called where nothing is taken for that long. */
export function streamFor(
  hub: Pick<Hub, 'subscribe'>,
  { stuckMs, drop }: { stuckMs: number; drop: () => void },
): ReadableStream<Uint8Array> {
  const outbox = createOutbox();
  const leave = hub.subscribe(outbox);
  const stuck = setTimeout(drop, stuckMs);
  return new ReadableStream<Uint8Array>(
    {
      // Called only when what was given before has been taken.
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
