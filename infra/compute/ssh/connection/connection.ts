import { HostConfigError, HostUnreachableError } from '../../../compute.ts';
import type { Channel, Login } from '../channel/channel.ts';
import { recordExit } from '../channel/exit.ts';

/** What channels are for: each kind has its own places, so that no kind waits for another that waits for it. */
export type ChannelKind = 'verb' | 'talk' | 'setup' | 'follow';

/** Places of each kind; together one less than the ten sessions that sshd allows a connection. */
const PLACES: Record<ChannelKind, number> = { verb: 4, talk: 3, setup: 1, follow: 1 };
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;
/** A minute. */
const MOST_TRIES = 300;
/** Refused that often in a row, some seconds, with one channel of ours open at most: it allows one, and we need more at once. */
const ALONE_TRIES = 25;
/** Programs that hang, after which a connection is given up with their sessions. */
const MOST_HUNG = 2;
/** Sessions that could not be begun after which a connection is given up: each takes one of its ten. */
const MOST_UNOPENED = 5;
const LOST = 'the connection was lost';

/** The connection was there and is gone: what was asked for may be asked again. */
export class ConnectionLostError extends HostUnreachableError {}

/** The connection is over, and its end has not been told yet. */
class DeadError extends ConnectionLostError {}

/** One multiplexed connection to a host, made when it is needed and made again when it is lost. */
export interface Connection {
  /** Opens a channel in its turn, unless the signal ends that wait; the place is free again when the channel is closed. */
  exec(kind: ChannelKind, command: string, signal?: AbortSignal): Promise<Channel>;
  /**
   * Gives up a channel: its place is free at once, whenever the host closes it. sshd keeps a session there as long as its
   * program lives: the second whose program `hangs` takes the connection along, and with it all sessions.
   */
  abandon(channel: Channel, options?: { hangs: boolean }): void;
  /**
   * Resolves once its sshd has answered, behind all that it sent before; takes no session and starts nothing there. Rejects where
   * the connection is lost.
   */
  ping(): Promise<void>;
  /** A word of our script came from the host. */
  heard(): void;
  /** Seconds since then; null where none ever came. */
  heardSecondsAgo(): number | null;
  /** Seconds since anybody used it last; 0 while somebody does. */
  idleSeconds(): number;
  /** Ends a connection that does not answer, with all its channels. */
  drop(): void;
  /** Ends it for good. */
  close(): void;
}

/** Keeps a connection; an attempt that fails for the network's sake is repeated for `patienceMs`, with growing pauses. */
export function keepConnection(host: string, connect: () => Promise<Login>, patienceMs: number): Connection {
  const uses = usesOf(placesOf(PLACES));
  let client: Login | undefined;
  let connecting: Promise<Login> | undefined;
  let failures = 0;
  const hung = new Set<Channel>();
  let unopened = 0;
  let closed = false;
  let heardAt: number | null = null;
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
    heard: () => (heardAt = performance.now()),
    heardSecondsAgo: () => (heardAt === null ? null : (performance.now() - heardAt) / 1000),
    idleSeconds: () => uses.idleSeconds(),
    async exec(kind, command, signal) {
      const release = await uses.take(kind, signal);
      try {
        let [alone, renewed] = [0, false];
        let last: Login | undefined;
        for (let tries = 1; ; tries += 1) {
          const used = await ready();
          if (used !== last) [last, alone] = [used, 0];
          const answer = await openOn(host, used, command).catch((error: unknown) => {
            // Half closed already, though nobody has told us yet: the next attempt needs another one.
            if (error instanceof DeadError && client === used) client = undefined;
            throw error;
          });
          if (answer.channel) return opened(answer.channel, release);
          if (answer.failed) {
            // Such a session stays open, and counts against the connection's.
            if (client === used && (unopened += 1) >= MOST_UNOPENED) drop();
            throw answer.failed;
          }
          // Another has renewed the connection meanwhile.
          if (client !== used) continue;
          alone = open.size > 1 ? 0 : alone + 1;
          // Some that could not be begun are left on it, or may be where none is ours: another has room for what we have.
          const isLong = alone === ALONE_TRIES || tries >= MOST_TRIES;
          if (isLong && !renewed && (open.size === 0 || unopened > 0)) {
            [renewed, tries] = [true, 0];
            drop();
            continue;
          }
          if (alone === ALONE_TRIES)
            throw new HostConfigError(
              host,
              'allows one session a connection (MaxSessions 1); allow at least five in its sshd_config, ten are usual',
            );
          // It allows fewer sessions than usual: wait until one of ours is over.
          if (tries >= MOST_TRIES)
            throw new HostConfigError(host, `opens no more sessions (MaxSessions): ${answer.refused}`);
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
      // One of a connection that is over took its session with it.
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

/** Longer from failure to failure, and never the same for two: many that were cut at once do not come back at once. */
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
        // The host's answer has a reason; an error of ours, or of the connection, has none.
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
      // Nothing is forwarded: any server refuses at once.
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

/** Places, each given back once; who waits for one, or has one, uses the connection. */
function usesOf(places: ReturnType<typeof placesOf>) {
  let users = 0;
  let usedAt = performance.now();
  return {
    idleSeconds: (): number => (users > 0 ? 0 : (performance.now() - usedAt) / 1000),
    async take(kind: ChannelKind, signal?: AbortSignal): Promise<() => void> {
      const leave = (): void => {
        users -= 1;
        usedAt = performance.now();
      };
      signal?.throwIfAborted();
      users += 1;
      const give = await places.take(kind, signal).catch((error: unknown) => {
        leave();
        throw error;
      });
      let given = false;
      return () => {
        if (given) return;
        given = true;
        leave();
        give();
      };
    },
  };
}

function placesOf(limits: Record<ChannelKind, number>) {
  const free = { ...limits };
  const waiting: Record<ChannelKind, (() => void)[]> = { verb: [], talk: [], setup: [], follow: [] };
  const give = (kind: ChannelKind) => (): void => {
    const next = waiting[kind].shift();
    if (next) next();
    else free[kind] += 1;
  };
  return {
    /** Waits for a place, as long as the signal lets it; returns what gives it back. */
    take(kind: ChannelKind, signal?: AbortSignal): Promise<() => void> {
      if (free[kind] > 0) {
        free[kind] -= 1;
        return Promise.resolve(give(kind));
      }
      return new Promise((resolve, reject) => {
        const turn = (): void => {
          signal?.removeEventListener('abort', leave);
          resolve(give(kind));
        };
        const leave = (): void => {
          waiting[kind] = waiting[kind].filter((one) => one !== turn);
          reject(signal?.reason as Error);
        };
        waiting[kind].push(turn);
        signal?.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
