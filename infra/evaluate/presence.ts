import type { Conversation } from '../compute.ts';
import { awakeTimeout, type AwakeTimer } from './awake.ts';

/** Longest way there and back, in ms, of a host that was there all the time, however busy. */
const LONGEST_MS = 1000;
/** Pause between two looks at it. */
const PAUSE_MS = 2000;

/** For how long the host of a conversation was away while it lasted: what its program says meanwhile is not heard in time. */
export interface Presence {
  /** In ms, up to the last look that came back. */
  awayMs(): number;
  /** Resolves once a look that begins now is back, with all that its program has said by then, or the host has failed. */
  look(): Promise<void>;
  close(): void;
}

/** Looks from time to time. A host that is this machine is there. */
export function watchPresence(reach: Conversation['reach']): Presence {
  if (!reach) return { awayMs: () => 0, look: () => Promise.resolve(), close: () => undefined };
  let away = 0;
  let seen = performance.now();
  let last = Promise.resolve();
  let [timer, closed]: [NodeJS.Timeout | undefined, boolean] = [undefined, false];
  const once = async (): Promise<void> => {
    const began = performance.now();
    // How it fails shows in the end of the conversation.
    await reach().catch(() => undefined);
    const back = performance.now();
    // It may have gone right after it was seen last.
    if (back - began > LONGEST_MS) away += back - seen;
    seen = back;
  };
  const look = (): Promise<void> => (last = last.then(() => (closed ? undefined : once())));
  const later = (): void => {
    if (!closed) timer = setTimeout(() => void look().then(later), PAUSE_MS).unref();
  };
  later();
  return {
    awayMs: () => away,
    look,
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** Calls back when this process was awake, and that host there, for so long. */
export function thereTimeout(milliseconds: number, presence: Presence, onDue: () => void): AwakeTimer {
  let given = presence.awayMs();
  let cleared = false;
  const due = async (): Promise<void> => {
    const from = performance.now();
    await presence.look();
    if (cleared) return;
    const away = presence.awayMs() - given;
    given += away;
    // Some of it went by in that look.
    const left = away - (performance.now() - from);
    if (left > 0) timer = awakeTimeout(left, () => void due());
    else onDue();
  };
  let timer = awakeTimeout(milliseconds, () => void due());
  return {
    clear: () => {
      cleared = true;
      timer.clear();
    },
  };
}
