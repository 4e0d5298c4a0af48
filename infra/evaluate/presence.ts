import { MOST_AWAY_SECONDS } from '../../domain/fleet/away.ts';
import type { Conversation } from '../compute.ts';
import { awakeTimeout, type AwakeTimer } from './awake.ts';

/** In ms: of two ways there and back, so much longer is the one of a host that was away meanwhile, not just far. */
const LONGER_MS = 300;
/** Pause between two looks at it, in ms: with the above, for how long it may be away unseen. */
const PAUSE_MS = 1000;

/** For how long the host of a conversation was away while it lasted: what its program says meanwhile is not heard in time. */
export interface Presence {
  /** In ms, up to the last look that came back; a minute at most, so that nobody wins more by a host that is slow. */
  awayMs(): number;
  /** Resolves once a look that begins now is back, with all that its program has said by then, or the conversation is over. */
  look(): Promise<void>;
  close(): void;
}

/** Looks from time to time, until the conversation is over. A host that is this machine is there. */
export function watchPresence(conversation: Pick<Conversation, 'reach' | 'ended'> | null): Presence {
  if (!conversation?.reach) return { awayMs: () => 0, look: () => Promise.resolve(), close: () => undefined };
  const { reach, ended } = conversation;
  let [away, quickest] = [0, 0];
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
    const began = performance.now();
    // How it fails shows in the end of the conversation.
    await reach().catch(() => undefined);
    const back = performance.now();
    const took = back - began;
    // It may have gone right after it was seen last.
    if (took > quickest + LONGER_MS) away = Math.min(MOST_AWAY_SECONDS * 1000, away + back - seen);
    quickest = quickest === 0 ? took : Math.min(quickest, took);
    seen = back;
  };
  const look = (): Promise<void> => {
    last = last.then(() => (closed ? undefined : lookOnce()));
    return Promise.race([last, over]);
  };
  const later = (): void => {
    if (!closed) timer = setTimeout(() => void look().then(later), PAUSE_MS).unref();
  };
  later();
  return { awayMs: () => away, look, close };
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
