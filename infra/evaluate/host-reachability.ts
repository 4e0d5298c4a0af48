import { OUTAGE_DELAY_MS, hadOutage } from '../../domain/fleet/network-outage.ts';
import type { Conversation } from '../compute.ts';
import { awakeTimeout, type AwakeTimer } from './awake.ts';

/** Pause between two looks at it, in ms. */
const PAUSE_MS = 500;
/** In ms: an outage of that length may look like silence. */
const LONG_MS = 2000;
/** Looks that tell what is usual. */
const REMEMBERED = 60;
/** Longest wait for one, in ms. */
const LONGEST_MS = 60_000;

/** For how long the host of a conversation was away while it lasted: what its program says meanwhile is not heard in time. */
export interface HostReachability {
  /** In ms, up to the last look that came back, or up to now where one is long under way. */
  outageMs(): number;
  /** When it was last away for so long that it may have looked silent, by `performance.now()`; -Infinity where it never was. */
  lastLongOutageAt(): number;
  /** In ms: it may have been away for as long as that between two looks. */
  unobservedMs: number;
  /**
   * Resolves once a look that begins now is back, with all that its program has said by then, or the conversation is over; after
   * a minute at most.
   */
  probe(): Promise<void>;
  close(): void;
}

const HERE: HostReachability = {
  ...{ outageMs: () => 0, lastLongOutageAt: () => -Infinity, unobservedMs: 0 },
  ...{ probe: () => Promise.resolve(), close: () => undefined },
};

/** Looks from time to time, until the conversation is over. A host that is this machine is there. */
export function watchReachability(conversation: Pick<Conversation, 'roundTrip' | 'ended'> | null): HostReachability {
  if (!conversation?.roundTrip) return HERE;
  const { roundTrip: reach, ended } = conversation;
  const usual: number[] = [];
  let away = 0;
  let longAwayAt = -Infinity;
  let pending: number | null = null;
  let seen = performance.now();
  let last = Promise.resolve();
  let next: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  const close = (): void => {
    closed = true;
    clearTimeout(timer);
    end();
  };
  // Nobody waits for what its program says any more: the evaluator's own time runs on.
  void ended.catch(() => undefined).finally(close);

  const lookOnce = async (): Promise<void> => {
    next = undefined;
    if (closed) return;
    const began = (pending = performance.now());
    // How it fails shows in the end of the conversation.
    const isBack = await reach().then(
      () => true,
      () => false,
    );
    const back = performance.now();
    const took = back - began;
    // It may have gone right after it was seen last.
    if (hadOutage(took, usual)) away += back - seen;
    if (hadOutage(took - LONG_MS, usual)) longAwayAt = back;
    if (isBack) usual.push(took);
    if (usual.length > REMEMBERED) usual.shift();
    [seen, pending] = [back, null];
  };
  // One that is under way began too early; one that waits for it serves all who ask.
  const begin = (): Promise<void> => (last = next ??= last.then(lookOnce));
  const later = (): void => {
    if (!closed) timer = setTimeout(() => void begin().then(later), PAUSE_MS).unref();
  };
  later();
  return {
    outageMs: () => {
      const now = performance.now();
      const isOut = pending !== null && !closed && hadOutage(now - pending, usual);
      return away + (isOut ? now - seen : 0);
    },
    lastLongOutageAt: () => longAwayAt,
    unobservedMs: PAUSE_MS + OUTAGE_DELAY_MS,
    probe: async () => {
      let patience: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => (patience = setTimeout(resolve, LONGEST_MS).unref()));
      await Promise.race([begin(), over, tooLong]);
      clearTimeout(patience);
    },
    close,
  };
}

/** A host that may be away, and for how long, in ms. */
export interface OutageAllowance {
  reachability: HostReachability;
  most: number;
}

/**
 * Calls back after so many ms in which this process was awake and the host there, and what one outage may last that no look saw.
 * Time away is added, up to `most`: `isFair` where it was not away for longer.
 */
export function reachableTimeout(
  milliseconds: number,
  { reachability: presence, most }: OutageAllowance,
  onDue: (isFair: boolean) => void,
): AwakeTimer {
  const awayBefore = presence.outageMs();
  let given = 0;
  let cleared = false;
  const due = async (): Promise<void> => {
    const from = performance.now();
    await presence.probe();
    if (cleared) return;
    const missed = presence.outageMs() - awayBefore;
    const away = Math.min(most, missed);
    // Some of it went by in that look.
    const left = away - given - (performance.now() - from);
    given = away;
    if (left > 0) timer = awakeTimeout(left, () => void due());
    else onDue(missed <= most);
  };
  let timer = awakeTimeout(milliseconds + presence.unobservedMs, () => void due());
  return {
    clear: () => {
      cleared = true;
      timer.clear();
    },
  };
}
