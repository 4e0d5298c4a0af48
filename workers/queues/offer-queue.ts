/** The net under NOTIFY: how often somebody looks who waits for a slot. */
const LOOK_EVERY_MS = 2000;

export interface OfferQueue {
  /** The next free slot, first come first served; rejects with the signal's own reason. */
  next: (signal: AbortSignal) => Promise<string>;
  /** Something may have become free. */
  wake: () => void;
  /** Whoever waits is sent away; fulfilled once no offer is under way any more. */
  close: () => Promise<void>;
}

interface Waiting {
  grant: (slotId: string) => void;
  sendAway: (why: Error) => void;
}

/** Those who wait for a slot; only one look at the database is under way for all of them. */
export function createOfferQueue(from: {
  /** Offers a slot to this worker; undefined where none is free. */
  offer: () => Promise<string | undefined>;
  /** Gives an offer back that nobody waits for any more. */
  giveBack: (slotId: string) => Promise<void>;
  onError: (error: unknown) => void;
}): OfferQueue {
  const { offer, giveBack, onError } = from;
  const waiting: Waiting[] = [];
  let looking: Promise<void> | null = null;
  let news = false;

  /** Hands out what is free; true if there may be more. */
  const handOut = async (): Promise<boolean> => {
    const slotId = await offer();
    if (slotId === undefined) return false;
    const first = waiting.shift();
    if (first) first.grant(slotId);
    else await giveBack(slotId);
    return true;
  };
  const look = async (): Promise<void> => {
    try {
      while (news && waiting.length > 0) {
        news = false;
        while (waiting.length > 0 && (await handOut()));
      }
    } catch (error) {
      onError(error);
    } finally {
      looking = null;
    }
  };
  const wake = (): void => {
    news = true;
    if (waiting.length > 0) looking ??= look();
  };
  const timer = setInterval(wake, LOOK_EVERY_MS);

  return {
    wake,
    next: (signal) =>
      new Promise((resolve, reject) => {
        const leave = (): void => {
          signal.removeEventListener('abort', aborted);
          const at = waiting.indexOf(one);
          if (at !== -1) waiting.splice(at, 1);
        };
        const sendAway = (why: Error): void => {
          leave();
          reject(why);
        };
        const aborted = (): void => sendAway(signal.reason as Error);
        const one: Waiting = {
          sendAway,
          grant: (slotId) => {
            leave();
            resolve(slotId);
          },
        };
        if (signal.aborted) return aborted();
        signal.addEventListener('abort', aborted, { once: true });
        waiting.push(one);
        wake();
      }),
    close: async () => {
      clearInterval(timer);
      for (const one of [...waiting]) one.sendAway(new Error('the wait for a slot was given up'));
      await looking;
    },
  };
}
