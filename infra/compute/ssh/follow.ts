import type { Channel } from './channel/channel.ts';
import type { Looked, RunLost, Offsets, RunOutput, StreamName } from '../../compute.ts';
import { ConnectionLostError } from './connection/connection.ts';
import { openFollowChannel } from './channel/follow-channel.ts';
import type { Frame } from './channel/frames.ts';
import type { Link } from './channel/link.ts';

/** Bytes of one stream that may be in transit or wait for their reader; the host sends no more. */
const WINDOW = 256 * 1024;
const PING_MS = 15_000;
const IDLE_MS = 10_000;
const TRIES = 5;
/** Seconds without data after which the host's end of the channel hangs: the host reports a probe twice a second. */
const SILENCE_SECONDS = 60;

/** Report of the host about one run. */
export type RunReport = RunOutput | Looked | { type: 'ended'; frame: Frame } | RunLost;

/** Reports of all runs of one host, through one channel, which is opened again when it is lost. */
export interface Follower {
  /**
   * Yields output from offset `start` on, and probes, then `ended` or `lost`. If the signal aborts, ends without these
   * two. Throws a host error.
   */
  follow(run: string, start: number | Offsets, signal: AbortSignal): AsyncGenerator<RunReport>;
}

/** A file of a run that the host reports. */
interface Part {
  id: number;
  stream: StreamName | undefined;
  /** Offset of the byte that the host has to send next. */
  next: number;
  /** Offset at which the host stops sending. */
  limit: number;
  /** True once the host has reported the end or the loss of the run. */
  ended: boolean;
}

interface Subscription {
  run: string;
  parts: Part[];
  /** Time of the last report that the host had nothing more to send. */
  looked: Date | null;
  /** Time of the previous report. */
  since: Date | null;
  queue: RunReport[];
  problem: Error | undefined;
  wake: () => void;
}

/**
 * Makes the follower of a host. Its channel is open while a caller follows a run, and a little longer. If the channel
 * falls silent over a living connection, another one replaces it.
 */
export function createFollower(
  link: Link,
  { silenceSeconds = SILENCE_SECONDS }: { silenceSeconds?: number } = {},
): Follower {
  const all = new Set<Subscription>();
  let last = 0;
  let channel: Channel | undefined;
  let opening = false;
  let idle: NodeJS.Timeout | undefined;

  const order = (line: string): void => {
    channel?.write(`${line}\n`);
  };
  const hasEnded = ({ parts }: Subscription): boolean => parts.every(({ ended }) => ended);
  const open = (): Subscription[] => [...all].filter((subscription) => !hasEnded(subscription));
  const add = ({ run, parts }: Subscription): void => {
    for (const { id, stream = 'output', next, limit, ended } of parts)
      if (!ended) order(`add ${id} ${run} ${next} ${limit} ${stream}`);
  };

  /** Notes a probe of the host, which may have begun at any time since the previous report. */
  function noteProbe(text: string): void {
    const now = new Date();
    const ids = new Set(text.split(' ').map(Number));
    for (const subscription of open()) {
      // The host has nothing more to send of a run if this holds for all parts of the run.
      if (!subscription.parts.every(({ id, ended }) => ended || ids.has(id))) continue;
      Object.assign(subscription, { since: subscription.looked, looked: now });
      // One event at the end is enough, so that the queue of a slow reader does not grow.
      if (subscription.queue.at(-1)?.type !== 'looked') subscription.queue.push({ type: 'looked' });
      subscription.wake();
    }
  }

  let ping: NodeJS.Timeout | undefined;
  let silent: NodeJS.Timeout | undefined;
  /** Restarts the timer for the silence of the channel. */
  function restartTimer(watched: Channel): void {
    clearTimeout(silent);
    silent = setTimeout(() => replaceSilent(watched), silenceSeconds * 1000).unref();
  }
  function replaceSilent(silentChannel: Channel): void {
    if (channel !== silentChannel) return;
    channel = undefined;
    link.connection.abandon(silentChannel, { hangs: true });
    if (open().length > 0) void keepOpen();
  }

  function handleFrame({ type, words, payload }: Frame, [id, offset] = words.map(Number)): void {
    if (type === 'looked') return noteProbe(payload.toString('utf8').trim());
    const subscription = [...all].find(({ parts }) => parts.some((part) => part.id === id));
    const part = subscription?.parts.find((candidate) => candidate.id === id);
    if (!subscription || !part) return;
    if (type === 'out' && offset === part.next) {
      const stream = part.stream === undefined ? {} : { stream: part.stream };
      const { since } = subscription;
      subscription.queue.push({ type: 'output', ...stream, offset: part.next, chunk: payload, since });
      part.next += payload.length;
    } else if (type === 'ended' || type === 'lost') {
      part.ended = true;
      // One event for all parts: the host sends the rest of each part before its end.
      if (hasEnded(subscription))
        subscription.queue.push(type === 'lost' ? lostBy(payload) : { type, frame: { type, words, payload } });
    }
    subscription.wake();
  }

  async function keepOpen(): Promise<void> {
    if (opening || channel) return;
    opening = true;
    let problem: unknown;
    for (let tries = 1; all.size > 0; tries += 1) {
      try {
        // A replaced channel may wake, and send output that its successor has not sent yet: ignore it.
        const onFrame = (source: Channel, frame: Frame): void => {
          if (source === channel) handleFrame(frame);
        };
        channel = await openFollowChannel(link, onFrame, { silenceSeconds });
        break;
      } catch (error) {
        problem = error;
        if (!(error instanceof ConnectionLostError) || tries === TRIES) break;
      }
    }
    opening = false;
    const made = channel;
    clearTimeout(silent);
    if (!made) return all.forEach((subscription) => fail(subscription, problem));
    clearInterval(ping);
    ping = setInterval(() => order('ping'), PING_MS).unref();
    made.on('data', () => channel === made && restartTimer(made));
    restartTimer(made);
    made.once('close', () => {
      if (channel === made) channel = undefined;
      if (open().length > 0) void keepOpen();
    });
    open().forEach(add);
    closeWhenIdle();
  }

  function unsubscribe(subscription: Subscription): void {
    all.delete(subscription);
    for (const { id, ended } of subscription.parts) if (!ended) order(`drop ${id}`);
    closeWhenIdle();
  }
  /** Closes the channel after IDLE_MS without a subscription. */
  function closeWhenIdle(): void {
    clearTimeout(idle);
    if (all.size > 0) return;
    idle = setTimeout(() => {
      if (all.size > 0 || !channel) return;
      const idleChannel = channel;
      channel = undefined;
      clearInterval(ping);
      clearTimeout(silent);
      idleChannel.end();
      // The end of the channel may hang, and would hold the only place of a follower.
      link.connection.abandon(idleChannel);
    }, IDLE_MS).unref();
  }

  return {
    async *follow(run, start, signal) {
      const part = (next: number, stream?: StreamName): Part => {
        last += 1;
        return { id: last, stream, next, limit: next + WINDOW, ended: false };
      };
      const subscription: Subscription = {
        run,
        parts: typeof start === 'number' ? [part(start)] : [part(start.stdout, 'stdout'), part(start.stderr, 'stderr')],
        looked: null,
        since: null,
        queue: [],
        problem: undefined,
        wake: () => undefined,
      };
      all.add(subscription);
      if (channel) add(subscription);
      else void keepOpen();
      const wake = (): void => subscription.wake();
      signal.addEventListener('abort', wake);
      try {
        while (!signal.aborted) {
          const report = subscription.queue.shift();
          if (report) {
            yield report;
            if (report.type === 'looked') continue;
            if (report.type !== 'output') return;
            const end = report.offset + report.chunk.length;
            const readPart = subscription.parts.find(({ stream }) => stream === report.stream);
            if (readPart && end + WINDOW / 2 > readPart.limit) {
              readPart.limit = end + WINDOW;
              order(`limit ${readPart.id} ${readPart.limit}`);
            }
          } else if (subscription.problem !== undefined) throw subscription.problem;
          else await new Promise<void>((resolve) => (subscription.wake = resolve));
        }
      } finally {
        signal.removeEventListener('abort', wake);
        unsubscribe(subscription);
      }
    },
  };
}

function fail(subscription: Subscription, problem: unknown): void {
  const error = problem instanceof Error ? problem : new Error(`follow: expected a channel; got ${String(problem)}`);
  subscription.problem = error;
  subscription.wake();
}

function lostBy(payload: Buffer): RunLost {
  const why = payload.toString('utf8').trim();
  return why === '' ? { type: 'lost' } : { type: 'lost', why };
}
