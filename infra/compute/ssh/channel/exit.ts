import type { Channel } from './channel.ts';

/** End of a channel's program. */
interface Exit {
  /** Exit code; null if a signal ended the program, undefined before its end is received. */
  code: number | null | undefined;
  /** Resolves when the end is received; never, if the connection is lost first. */
  received: Promise<void>;
}

const exits = new WeakMap<Channel, Exit>();

/**
 * Records the end of a channel's program. Call it as soon as the channel is open: one packet can hold the opening and
 * the end. A missed end would look like a lost connection.
 */
export function recordExit(channel: Channel): void {
  const exit: Exit = { code: undefined, received: Promise.resolve() };
  exit.received = new Promise((resolve) => {
    channel.once('exit', (code: number | null) => {
      exit.code = code;
      resolve();
    });
  });
  exits.set(channel, exit);
}

/** Recorded end of a channel that a connection opened. */
export function exitOf(channel: Channel): Exit {
  const exit = exits.get(channel);
  if (!exit) throw new Error('Expected a channel that recordExit was called for when it opened');
  return exit;
}
