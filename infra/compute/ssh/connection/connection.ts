import { HostConfigError, HostUnreachableError } from '../../../compute.ts';
import type { Channel, Login } from '../channel/channel.ts';
import { recordExit } from '../channel/exit.ts';

/** Purpose of a channel. Each kind has its own places, so that no two kinds wait for each other. */
export type ChannelKind = 'verb' | 'talk' | 'setup' | 'follow';

/** Places of each kind: together one less than the ten sessions that sshd allows a connection. */
const PLACES: Record<ChannelKind, number> = { verb: 4, talk: 3, setup: 1, follow: 1 };
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;
/** Tries to open a session: about a minute. */
const MOST_TRIES = 300;
/**
 * Refusals in a row, for some seconds, with at most one open channel of this process. After them, the host is taken to
 * allow one session only, which is too few.
 */
const ALONE_TRIES = 25;
/** Hanging programs after which the connection is dropped, with their sessions. */
const MOST_HUNG = 2;
/** Sessions that failed to start after which the connection is dropped: each takes one of its ten sessions. */
const MOST_UNOPENED = 5;
const LOST = 'the connection was lost';

/** The connection was lost: the caller may retry. */
export class ConnectionLostError extends HostUnreachableError {}

/** The connection is over, but its `close` event has not come yet. */
class DeadError extends ConnectionLostError {}

/** One multiplexed connection to a host, opened on demand, and again after it was lost. */
export interface Connection {
  /** Opens a channel in its turn; the signal ends that wait. The place is free again when the channel is closed. */
  exec(kind: ChannelKind, command: string, signal?: AbortSignal): Promise<Channel>;
  /**
   * Closes a channel and frees its place at once, whenever the host closes it. sshd keeps a session as long as its
   * program lives. So the second channel whose program `hangs` drops the connection, with all sessions.
   */
  abandon(channel: Channel, options?: { hangs: boolean }): void;
  /**
   * Resolves when its sshd has answered, after all data that it sent before. Takes no session and starts no program.
   * Rejects if the connection is lost.
   */
  ping(): Promise<void>;
  /** Notes that the host has sent a frame of the script. */
  noteAnswer(): void;
  /** Seconds since the last frame; null if none was received. */
  secondsSinceAnswer(): number | null;
  /** Seconds since a caller last used the connection; 0 while one does. */
  idleSeconds(): number;
  /** Ends a connection that does not answer, with all its channels. */
  drop(): void;
  /** Ends the connection for good. */
  close(): void;
}

/** Keeps a connection. If the host cannot be reached, repeats attempts for `patienceMs`, with growing pauses. */
export function keepConnection(host: string, connect: () => Promise<Login>, patienceMs: number): Connection {
  const uses = usesOf(placesOf(PLACES));
  let client: Login | undefined;
  let connecting: Promise<Login> | undefined;
  let failures = 0;
  const hung = new Set<Channel>();
  let unopened = 0;
  let closed = false;
  let answeredAt: number | null = null;
  const releases = new WeakMap<Channel, () => void>();
  const open = new Set<Channel>();
  const opened = (channel: Channel, release: () => void): Channel => {
    open.add(channel);
    releases.set(channel, release);
    return channel.once('close', () => {
      open.delete(channel);
      hung.delete(channel);
      release();
    });
  };

  async function connectPatiently(): Promise<Login> {
    for (const until = Date.now() + patienceMs; ;) {
      if (closed) throw new HostConfigError(host, 'the connection was closed here');
      try {
        const made = await connect();
        failures = 0;
        hung.clear();
        unopened = 0;
        client = made.once('close', () => {
          if (client === made) client = undefined;
        });
        if (closed) made.end();
        return made;
      } catch (error) {
        const wait = pauseMs((failures += 1));
        if (!(error instanceof HostUnreachableError) || Date.now() + wait > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  const ready = (): Promise<Login> => {
    if (client) return Promise.resolve(client);
    connecting ??= connectPatiently().finally(() => (connecting = undefined));
    return connecting;
  };

  const drop = (): void => {
    client?.destroy();
    client = undefined;
  };

  return {
    noteAnswer: () => (answeredAt = performance.now()),
    secondsSinceAnswer: () => (answeredAt === null ? null : (performance.now() - answeredAt) / 1000),
    idleSeconds: () => uses.idleSeconds(),
    async exec(kind, command, signal) {
      const release = await uses.acquire(kind, signal);
      try {
        let [alone, renewed] = [0, false];
        let last: Login | undefined;
        for (let tries = 1; ; tries += 1) {
          const used = await ready();
          if (used !== last) [last, alone] = [used, 0];
          const answer = await openOn(host, used, command).catch((error: unknown) => {
            // The connection is half closed, before its `close` event: the next attempt needs another connection.
            if (error instanceof DeadError && client === used) client = undefined;
            throw error;
          });
          if (answer.channel) return opened(answer.channel, release);
          if (answer.failed) {
            // A failed session stays open on the host, and counts against the connection's limit.
            if (client === used && (unopened += 1) >= MOST_UNOPENED) drop();
            throw answer.failed;
          }
          // Another caller has replaced the connection meanwhile.
          if (client !== used) continue;
          alone = open.size > 1 ? 0 : alone + 1;
          // Sessions that failed to start may fill the connection: a new one has room for the channels of this process.
          const isLong = alone === ALONE_TRIES || tries >= MOST_TRIES;
          if (isLong && !renewed && (open.size === 0 || unopened > 0)) {
            [renewed, tries] = [true, 0];
            drop();
            continue;
          }
          if (alone === ALONE_TRIES)
            throw new HostConfigError(
              host,
              'allows one session per connection (MaxSessions 1); allow at least five in its sshd_config (usual: ten)',
            );
          // The host allows fewer sessions than usual: wait until another channel is closed.
          if (tries >= MOST_TRIES)
            throw new HostConfigError(
              host,
              `refuses further sessions (${answer.refused}): raise MaxSessions in its sshd_config`,
            );
          await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 200));
        }
      } catch (error) {
        release();
        throw error;
      }
    },
    ping: () =>
      client ? pingOn(host, client) : Promise.reject(new ConnectionLostError(host, 'closed', { message: LOST })),
    abandon(channel, options) {
      // A channel of a lost connection is not in `open`: its session ended with the connection.
      if (options?.hangs && open.has(channel)) hung.add(channel);
      channel.close();
      releases.get(channel)?.();
      if (hung.size >= MOST_HUNG) drop();
    },
    drop,
    close() {
      closed = true;
      client?.end();
    },
  };
}

/** Pause in ms after so many failures. It grows, and is random: clients that were cut together return one by one. */
export const pauseMs = (failures: number): number =>
  Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)) * (0.5 + Math.random());

function openOn(
  host: string,
  client: Login,
  command: string,
): Promise<{ channel?: Channel; refused?: string; failed?: Error }> {
  return new Promise((resolve, reject) => {
    const lost = (cause?: unknown): void => reject(new ConnectionLostError(host, 'closed', { message: LOST, cause }));
    const onClose = (): void => lost();
    client.once('close', onClose);
    try {
      client.exec(command, (error, channel) => {
        client.off('close', onClose);
        if (!error) {
          recordExit(channel);
          return resolve({ channel });
        }
        // Only an answer of the host has a reason. An error of this process, or of the connection, has none.
        if ('reason' in error && typeof error.reason === 'number') return resolve({ refused: error.message });
        resolve({ failed: new ConnectionLostError(host, 'closed', { message: LOST, cause: error }) });
      });
    } catch (error) {
      client.off('close', onClose);
      reject(new DeadError(host, 'closed', { message: LOST, cause: error }));
      client.destroy();
    }
  });
}

function pingOn(host: string, client: Login): Promise<void> {
  return new Promise((resolve, reject) => {
    const lost = (cause?: unknown): void => reject(new ConnectionLostError(host, 'closed', { message: LOST, cause }));
    const onClose = (): void => lost();
    client.once('close', onClose);
    try {
      // No forwarding exists to cancel: any server refuses at once.
      client.unforwardIn('', 0, () => {
        client.off('close', onClose);
        resolve();
      });
    } catch (error) {
      client.off('close', onClose);
      lost(error);
    }
  });
}

/** Counts uses of the connection: callers that wait for a place, or have one. Each place is given back once. */
function usesOf(places: ReturnType<typeof placesOf>) {
  let users = 0;
  let usedAt = performance.now();
  return {
    idleSeconds: (): number => (users > 0 ? 0 : (performance.now() - usedAt) / 1000),
    async acquire(kind: ChannelKind, signal?: AbortSignal): Promise<() => void> {
      const leave = (): void => {
        users -= 1;
        usedAt = performance.now();
      };
      signal?.throwIfAborted();
      users += 1;
      const release = await places.acquire(kind, signal).catch((error: unknown) => {
        leave();
        throw error;
      });
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        leave();
        release();
      };
    },
  };
}

function placesOf(limits: Record<ChannelKind, number>) {
  const free = { ...limits };
  const waiting: Record<ChannelKind, (() => void)[]> = { verb: [], talk: [], setup: [], follow: [] };
  const releaseOf = (kind: ChannelKind) => (): void => {
    const next = waiting[kind].shift();
    if (next) next();
    else free[kind] += 1;
  };
  return {
    /** Waits for a place, until the signal aborts; returns the function that gives it back. */
    acquire(kind: ChannelKind, signal?: AbortSignal): Promise<() => void> {
      if (free[kind] > 0) {
        free[kind] -= 1;
        return Promise.resolve(releaseOf(kind));
      }
      return new Promise((resolve, reject) => {
        const turn = (): void => {
          signal?.removeEventListener('abort', leave);
          resolve(releaseOf(kind));
        };
        const leave = (): void => {
          waiting[kind] = waiting[kind].filter((waiter) => waiter !== turn);
          reject(signal?.reason as Error);
        };
        waiting[kind].push(turn);
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
