import { OUTAGE_DELAY_MS, hadOutage } from '../../domain/fleet/network-outage.ts';
import type { Conversation } from '../compute.ts';
import { awakeTimeout, type AwakeTimer } from './awake.ts';

/** Pause between two probes of the host, in ms. */
const PAUSE_MS = 500;
/** Length in ms from which on an outage may look like silence of the candidate. */
const LONG_MS = 2000;
/** Number of probes whose durations count as usual. */
const REMEMBERED = 60;
/** Longest wait for a probe, in ms. */
const LONGEST_MS = 60_000;

/** Outages of a conversation's host. During an outage, output of the program arrives late. */
export interface HostReachability {
  /** Total outage in ms, up to the last answered probe, or up to now if a probe has been unanswered for long. */
  outageMs(): number;
  /** End of the last long outage, which may have looked like silence, by `performance.now()`; -Infinity if none. */
  lastLongOutageAt(): number;
  /** Longest outage in ms that may stay unnoticed between two probes. */
  unobservedMs: number;
  /**
   * Starts a probe and waits for its answer, before which all earlier output of the program arrives. Also resolves when
   * the conversation is over, or after a minute.
   */
  probe(): Promise<void>;
  close(): void;
}

const ALWAYS_REACHABLE: HostReachability = {
  outageMs: () => 0,
  lastLongOutageAt: () => -Infinity,
  unobservedMs: 0,
  probe: () => Promise.resolve(),
  close: () => undefined,
};

/** Probes the host periodically until the conversation is over. The worker's own machine is always reachable. */
export function watchReachability(conversation: Pick<Conversation, 'roundTrip' | 'ended'> | null): HostReachability {
  if (!conversation?.roundTrip) return ALWAYS_REACHABLE;
  const { roundTrip, ended } = conversation;
  const usual: number[] = [];
  let totalOutage = 0;
  let longOutageAt = -Infinity;
  let pendingSince: number | null = null;
  let answeredAt = performance.now();
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
  // After the conversation, no output is awaited, so later outages do not count.
  void ended.catch(() => undefined).finally(close);

  const probeOnce = async (): Promise<void> => {
    next = undefined;
    if (closed) return;
    const began = performance.now();
    pendingSince = began;
    // The end of the conversation reports the error.
    const isAnswered = await roundTrip().then(
      () => true,
      () => false,
    );
    const now = performance.now();
    const took = now - began;
    // Counts from the previous answer on, since the outage may have begun right after it.
    if (hadOutage(took, usual)) totalOutage += now - answeredAt;
    if (hadOutage(took - LONG_MS, usual)) longOutageAt = now;
    if (isAnswered) usual.push(took);
    if (usual.length > REMEMBERED) usual.shift();
    answeredAt = now;
    pendingSince = null;
  };
  // A running probe began too early for a new caller; all new callers share the probe after it.
  const begin = (): Promise<void> => {
    next ??= last.then(probeOnce);
    last = next;
    return next;
  };
  const later = (): void => {
    if (!closed) timer = setTimeout(() => void begin().then(later), PAUSE_MS).unref();
  };
  later();
  return {
    outageMs: () => {
      const now = performance.now();
      const isOut = pendingSince !== null && !closed && hadOutage(now - pendingSince, usual);
      return totalOutage + (isOut ? now - answeredAt : 0);
    },
    lastLongOutageAt: () => longOutageAt,
    unobservedMs: PAUSE_MS + OUTAGE_DELAY_MS,
    probe: async () => {
      let limit: NodeJS.Timeout | undefined;
      const tooLong = new Promise<void>((resolve) => (limit = setTimeout(resolve, LONGEST_MS).unref()));
      await Promise.race([begin(), over, tooLong]);
      clearTimeout(limit);
    },
    close,
  };
}

/** The outages of a host, and the longest total outage, in ms, for which a timeout allows. */
export interface OutageAllowance {
  reachability: HostReachability;
  most: number;
}

/**
 * Calls back after `milliseconds` in which this process was awake and the host reachable, plus the longest unnoticed
 * outage. Adds outages up to `most`; `isFair` is false if the total outage was longer.
 */
export function reachableTimeout(
  milliseconds: number,
  { reachability, most }: OutageAllowance,
  onDue: (isFair: boolean) => void,
): AwakeTimer {
  const outageBefore = reachability.outageMs();
  let added = 0;
  let cleared = false;
  const due = async (): Promise<void> => {
    const began = performance.now();
    await reachability.probe();
    if (cleared) return;
    const outage = reachability.outageMs() - outageBefore;
    const allowed = Math.min(most, outage);
    // The probe itself has used some of the added time.
    const remaining = allowed - added - (performance.now() - began);
    added = allowed;
    if (remaining > 0) timer = awakeTimeout(remaining, () => void due());
    else onDue(outage <= most);
  };
  let timer = awakeTimeout(milliseconds + reachability.unobservedMs, () => void due());
  return {
    clear: () => {
      cleared = true;
      timer.clear();
    },
  };
}
