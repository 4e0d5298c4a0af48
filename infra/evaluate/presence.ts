import { LONGER_MS, metOutage } from '../../domain/fleet/away.ts';
import type { Conversation } from '../compute.ts';
import { awakeTimeout, type AwakeTimer } from './awake.ts';

/** Pause between two looks at it, in ms. */
const PAUSE_MS = 1000;
/** Looks that tell what is usual. */
const REMEMBERED = 60;
/** Longest wait for one, in ms: it may wait for what else is done on that host. */
const LONGEST_MS = 60_000;

/** For how long the host of a conversation was away while it lasted: what its program says meanwhile is not heard in time. */
export interface Presence {
  /** In ms, up to the last look that came back, or up to now where one is long under way. */
  awayMs(): number;
  /** In ms: it may have been away for as long as that between two looks. */
  unseenMs: number;
  /**
   * Resolves once a look that begins now is back, with all that its program has said by then, or the conversation is over; after
   * a minute at most.
   */
  look(): Promise<void>;
  close(): void;
}

/** Looks from time to time, until the conversation is over. A host that is this machine is there. */
export function watchPresence(conversation: Pick<Conversation, 'reach' | 'ended'> | null): Presence {
  if (!conversation?.reach)
    return { awayMs: () => 0, unseenMs: 0, look: () => Promise.resolve(), close: () => undefined };
  const { reach, ended } = conversation;
  const before: number[] = [];
  let away = 0;
  let pending: number | null = null;
  let seen = performance.now();
  let last = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let close = (): void => undefined;
  let closed = false;
  const over = new Promise<void>((resolve) => {
    close = () => {
      closed = true;
      clearTimeout(timer);
      resolve();
    };
  });
  // Nobody waits for what its program says any more: the evaluator's own time runs on.
  void ended.catch(() => undefined).finally(close);

  const lookOnce = async (): Promise<void> => {
    const began = (pending = performance.now());
    // How it fails shows in the end of the conversation.
    const isBack = await reach().then(
      () => true,
      () => false,
    );
    const back = performance.now();
    const took = back - began;
    // It may have gone right after it was seen last.
    if (metOutage(took, before)) away += back - seen;
    if (isBack) before.push(took);
    if (before.length > REMEMBERED) before.shift();
    [seen, pending] = [back, null];
  };
  const look = (): Promise<void> => {
    last = last.then(() => (closed ? undefined : lookOnce()));
    return Promise.race([last, over, sleep(LONGEST_MS)]);
  };
  const later = (): void => {
    if (!closed) timer = setTimeout(() => void look().then(later), PAUSE_MS).unref();
  };
  later();
  const awayMs = (): number => {
    const now = performance.now();
    const isOut = pending !== null && !closed && metOutage(now - pending, before);
    return away + (isOut ? now - seen : 0);
  };
  return { awayMs, unseenMs: PAUSE_MS + LONGER_MS, look, close };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** A host that may be away, and for how long, in ms. */
export interface Allowance {
  presence: Presence;
  most: number;
}

/**
 * Calls back when this process was awake, and that host there, for so long, and for what nobody may have seen of one outage; or
 * away for longer beside that than it may be.
 */
export function thereTimeout(milliseconds: number, { presence, most }: Allowance, onDue: () => void): AwakeTimer {
  const before = presence.awayMs();
  let given = 0;
  let cleared = false;
  const due = async (): Promise<void> => {
    const from = performance.now();
    await presence.look();
    if (cleared) return;
    const away = Math.min(most, presence.awayMs() - before);
    // Some of it went by in that look.
    const left = away - given - (performance.now() - from);
    given = away;
    if (left > 0) timer = awakeTimeout(left, () => void due());
    else onDue();
  };
  let timer = awakeTimeout(milliseconds + presence.unseenMs, () => void due());
  return {
    clear: () => {
      cleared = true;
      timer.clear();
    },
  };
}
