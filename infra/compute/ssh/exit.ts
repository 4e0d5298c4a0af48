import type { ClientChannel } from 'ssh2';

interface Exit {
  code: number | null | undefined;
  came: Promise<void>;
}

const exits = new WeakMap<ClientChannel, Exit>();

/**
 * Hears how a channel's program ends, from the very moment in which the channel is there: a host that is quick, or a process of
 * ours that is busy, brings both in one packet, and an end that nobody hears would look like a lost connection.
 */
export function hearExit(channel: ClientChannel): void {
  const exit: Exit = { code: undefined, came: Promise.resolve() };
  exit.came = new Promise((resolve) => {
    channel.once('exit', (code: number | null) => {
      exit.code = code;
      resolve();
    });
  });
  exits.set(channel, exit);
}

/** The exit code of a channel's program; null where a signal ended it, undefined as long as its end has not come. */
export const exitCode = (channel: ClientChannel): number | null | undefined => exits.get(channel)?.code;

/** Resolves when the end of a channel's program comes; never where its connection is lost before. */
export const exited = (channel: ClientChannel): Promise<void> =>
  exits.get(channel)?.came ?? new Promise(() => undefined);
