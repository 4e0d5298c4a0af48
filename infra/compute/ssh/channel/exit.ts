import type { Channel } from './channel.ts';

/** How a channel's program ended. */
interface Exit {
  /** Null where a signal ended it, undefined as long as its end has not come. */
  code: number | null | undefined;
  /** Resolves when its end comes; never where the connection is lost before. */
  came: Promise<void>;
}

const exits = new WeakMap<Channel, Exit>();

/**
 * Hears how a channel's program ends, from the very moment in which the channel is there: a host that is quick, or a process of
 * ours that is busy, brings both in one packet, and an end that nobody hears would look like a lost connection.
 */
export function recordExit(channel: Channel): void {
  const exit: Exit = { code: undefined, came: Promise.resolve() };
  exit.came = new Promise((resolve) => {
    channel.once('exit', (code: number | null) => {
      exit.code = code;
      resolve();
    });
  });
  exits.set(channel, exit);
}

/** Of a channel that a connection has opened. */
export function exitOf(channel: Channel): Exit {
  const exit = exits.get(channel);
  if (!exit) throw new Error('Expected a channel whose end was heard from the start');
  return exit;
}
