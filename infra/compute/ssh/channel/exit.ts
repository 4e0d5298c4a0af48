import type { Channel } from './channel.ts';

/** End of a channel's program. */
interface Exit {
  /** Exit code; null if a signal ended the program, undefined before its end has come. */
  code: number | null | undefined;
  /** Resolves when the end comes; never, if the connection is lost before. */
  came: Promise<void>;
}

const exits = new WeakMap<Channel, Exit>();

/**
 * Records the end of a channel's program. It must be called as soon as the channel is open: the opening and the end can
 * come in one packet. An end that is missed would look like a lost connection.
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

/** Recorded end of a channel that a connection opened. */
export function exitOf(channel: Channel): Exit {
  const exit = exits.get(channel);
  if (!exit) throw new Error('Expected a channel that recordExit was called for when it opened');
  return exit;
}
