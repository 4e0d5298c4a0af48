import type { HttpBindings } from '@hono/node-server';
import type { Context, Handler } from 'hono';
import type { Hub } from './hub.ts';
import { createOutbox } from './outbox.ts';

/** A proxy cuts what is silent for longer; so a stream never is. */
const KEEP_ALIVE_MS = 10_000;
/** One that has read nothing for so long is given up: its browser connects again when it can. */
const STUCK_MS = 30_000;

/** Server-sent events: tells each change as long as the reader takes it. Only what it has yet to take is kept. */
export const serveStream =
  (hub: Hub): Handler<{ Bindings: HttpBindings }> =>
  (c) => {
    c.header('content-type', 'text/event-stream; charset=utf-8');
    c.header('cache-control', 'no-store');
    // A proxy must not wait for more.
    c.header('x-accel-buffering', 'no');
    return c.req.method === 'HEAD' ? c.body(null) : c.body(open(hub, c));
  };

function open(hub: Hub, c: Context<{ Bindings: HttpBindings }>): ReadableStream<Uint8Array> {
  const outbox = createOutbox();
  const leave = hub.subscribe(outbox);
  const stuck = setTimeout(() => c.env.outgoing.destroy(), STUCK_MS);
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
