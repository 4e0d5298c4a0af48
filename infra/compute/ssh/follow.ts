import type { Channel } from './channel/channel.ts';
import type { Looked, RunLost, Offsets, RunOutput, StreamName } from '../../compute.ts';
import { ConnectionLostError } from './connection/connection.ts';
import { openFollowChannel } from './channel/follow-channel.ts';
import type { Frame } from './channel/frames.ts';
import type { Link } from './channel/link.ts';

/** Bytes of one stream that may be on the way or wait for their reader; more is not sent. */
const WINDOW = 256 * 1024;
const PING_MS = 15_000;
const IDLE_MS = 10_000;
const TRIES = 5;
/** The host says something of its looks twice a second; where nothing comes for so long, its end of the channel hangs. */
const SILENCE_SECONDS = 60;

/** What the host says of one run. */
export type RunReport = RunOutput | Looked | { type: 'ended'; frame: Frame } | RunLost;

/** Reports of all runs of one host through one channel, which is opened again where it is lost. */
export interface Follower {
  /** Output from there on and looks, then `ended` or `lost`; just ends when the signal aborts. Throws a host error. */
  follow(run: string, from: number | Offsets, signal: AbortSignal): AsyncGenerator<RunReport>;
}

/** A file of a run that the host reports. */
interface Part {
  id: number;
  stream: StreamName | undefined;
  /** What the host has to send next. */
  next: number;
  limit: number;
  over: boolean;
}

interface Subscription {
  run: string;
  parts: Part[];
  /** When the host was last known to have nothing more to send, and the time before that. */
  looked: Date | null;
  since: Date | null;
  queue: RunReport[];
  problem: Error | undefined;
  wake: () => void;
}

/**
 * Makes the follower of a host; its channel is open while somebody listens, and a little longer. One that falls silent, over
 * a connection that lives, is given up for another.
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

  const order = (line: string): void => void channel?.write(`${line}\n`);
  const isOver = ({ parts }: Subscription): boolean => parts.every(({ over }) => over);
  const open = (): Subscription[] => [...all].filter((one) => !isOver(one));
  const add = ({ run, parts }: Subscription): void => {
    for (const { id, stream = 'output', next, limit, over } of parts)
      if (!over) order(`add ${id} ${run} ${next} ${limit} ${stream}`);
  };

  /** A look whose report came now may have begun at any time since the report before. */
  function noteLook(text: string): void {
    const now = new Date();
    const ids = new Set(text.split(' ').map(Number));
    for (const one of open()) {
      // All that there was is told where that is so of all its parts.
      if (!one.parts.every(({ id, over }) => over || ids.has(id))) continue;
      Object.assign(one, { since: one.looked, looked: now });
      // One is enough for whoever reads late, and what nobody reads does not grow.
      if (one.queue.at(-1)?.type !== 'looked') one.queue.push({ type: 'looked' });
      one.wake();
    }
  }

  let ping: NodeJS.Timeout | undefined;
  let silent: NodeJS.Timeout | undefined;
  /** Counts the silence of the channel from now. */
  function listen(to: Channel): void {
    clearTimeout(silent);
    silent = setTimeout(() => leaveSilent(to), silenceSeconds * 1000).unref();
  }
  function leaveSilent(left: Channel): void {
    if (channel !== left) return;
    channel = undefined;
    link.connection.abandon(left, { hangs: true });
    if (open().length > 0) void keepOpen();
  }

  function take({ type, words, payload }: Frame, [id, offset] = words.map(Number)): void {
    if (type === 'looked') return noteLook(payload.toString('utf8').trim());
    const one = [...all].find(({ parts }) => parts.some((part) => part.id === id));
    const part = one?.parts.find((each) => each.id === id);
    if (!one || !part) return;
    if (type === 'out' && offset === part.next) {
      const stream = part.stream === undefined ? {} : { stream: part.stream };
      one.queue.push({ type: 'output', ...stream, offset: part.next, chunk: payload, since: one.since });
      part.next += payload.length;
    } else if (type === 'ended' || type === 'lost') {
      part.over = true;
      // Once for all parts: of each the rest is told before.
      if (isOver(one)) one.queue.push(type === 'lost' ? lostBy(payload) : { type, frame: { type, words, payload } });
    }
    one.wake();
  }

  async function keepOpen(): Promise<void> {
    if (opening || channel) return;
    opening = true;
    let problem: unknown;
    for (let tries = 1; all.size > 0; tries += 1) {
      try {
        // One that was given up may wake, and tell of what another one has not sent yet.
        const hear = (from: Channel, frame: Frame): void => void (from === channel && take(frame));
        channel = await openFollowChannel(link, hear, { silenceSeconds });
        break;
      } catch (error) {
        problem = error;
        if (!(error instanceof ConnectionLostError) || tries === TRIES) break;
      }
    }
    opening = false;
    const made = channel;
    clearTimeout(silent);
    if (!made) return all.forEach((one) => fail(one, problem));
    clearInterval(ping);
    ping = setInterval(() => order('ping'), PING_MS).unref();
    made.on('data', () => channel === made && listen(made));
    listen(made);
    made.once('close', () => {
      if (channel === made) channel = undefined;
      if (open().length > 0) void keepOpen();
    });
    open().forEach(add);
    rest();
  }

  function leave(one: Subscription): void {
    all.delete(one);
    for (const { id, over } of one.parts) if (!over) order(`drop ${id}`);
    rest();
  }
  /** Closes the channel where nobody has listened for a while. */
  function rest(): void {
    clearTimeout(idle);
    if (all.size > 0) return;
    idle = setTimeout(() => {
      if (all.size > 0 || !channel) return;
      const left = channel;
      channel = undefined;
      clearInterval(ping);
      clearTimeout(silent);
      left.end();
      // Its end may hang, and would keep the only place.
      link.connection.abandon(left);
    }, IDLE_MS).unref();
  }

  return {
    async *follow(run, from, signal) {
      const part = (next: number, stream?: StreamName): Part => {
        last += 1;
        return { id: last, stream, next, limit: next + WINDOW, over: false };
      };
      const one: Subscription = {
        run,
        parts: typeof from === 'number' ? [part(from)] : [part(from.stdout, 'stdout'), part(from.stderr, 'stderr')],
        ...{ looked: null, since: null, queue: [], problem: undefined, wake: () => undefined },
      };
      all.add(one);
      if (channel) add(one);
      else void keepOpen();
      const wake = (): void => one.wake();
      signal.addEventListener('abort', wake);
      try {
        while (!signal.aborted) {
          const heard = one.queue.shift();
          if (heard) {
            yield heard;
            if (heard.type === 'looked') continue;
            if (heard.type !== 'output') return;
            const end = heard.offset + heard.chunk.length;
            const told = one.parts.find(({ stream }) => stream === heard.stream);
            if (told && end + WINDOW / 2 > told.limit) {
              told.limit = end + WINDOW;
              order(`limit ${told.id} ${told.limit}`);
            }
          } else if (one.problem !== undefined) throw one.problem;
          else await new Promise<void>((resolve) => (one.wake = resolve));
        }
      } finally {
        signal.removeEventListener('abort', wake);
        leave(one);
      }
    },
  };
}

function fail(one: Subscription, problem: unknown): void {
  one.problem = problem instanceof Error ? problem : new Error(`follow: expected a channel; got ${String(problem)}`);
  one.wake();
}

function lostBy(payload: Buffer): RunLost {
  const why = payload.toString('utf8').trim();
  return why === '' ? { type: 'lost' } : { type: 'lost', why };
}
