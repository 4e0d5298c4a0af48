/** Interval at which waiters poll the database, because a NOTIFY may be lost. */
const POLL_MS = 2000;

export interface OfferQueue {
  /** Next free slot, first come, first served; rejects with the signal's own reason. */
  next: (signal: AbortSignal) => Promise<string>;
  /** Reports that a slot may have become free. */
  wake: () => void;
  /** Rejects all waiters; resolves once no offer is under way any more. */
  close: () => Promise<void>;
}

interface Waiting {
  grant: (slotId: string) => void;
  cancel: (why: Error) => void;
}

/** Queue of waiters for a slot; at most one poll of the database is under way for all of them. */
export function createOfferQueue(from: {
  /** Offers a slot to this worker; undefined if none is free. */
  offer: () => Promise<string | undefined>;
  /** Returns an offer that no waiter needs any more. */
  giveBack: (slotId: string) => Promise<void>;
  onError: (error: unknown) => void;
}): OfferQueue {
  const { offer, giveBack, onError } = from;
  const waiting: Waiting[] = [];
  let polling: Promise<void> | null = null;
  let requested = false;

  /** Grants one free slot; true if there may be more. */
  const handOut = async (): Promise<boolean> => {
    const slotId = await offer();
    if (slotId === undefined) return false;
    const first = waiting.shift();
    if (first) first.grant(slotId);
    else await giveBack(slotId);
    return true;
  };
  const poll = async (): Promise<void> => {
    try {
      while (requested && waiting.length > 0) {
        requested = false;
        while (waiting.length > 0 && (await handOut()));
      }
    } catch (error) {
      onError(error);
    } finally {
      polling = null;
    }
  };
  const wake = (): void => {
    requested = true;
    if (waiting.length > 0) polling ??= poll();
  };
  const timer = setInterval(wake, POLL_MS);

  return {
    wake,
    next: (signal) =>
      new Promise((resolve, reject) => {
        const leave = (): void => {
          signal.removeEventListener('abort', aborted);
          const index = waiting.indexOf(waiter);
          if (index !== -1) waiting.splice(index, 1);
        };
        const cancel = (why: Error): void => {
          leave();
          reject(why);
        };
        const aborted = (): void => cancel(signal.reason as Error);
        const waiter: Waiting = {
          cancel,
          grant: (slotId) => {
            leave();
            resolve(slotId);
          },
        };
        if (signal.aborted) return aborted();
        signal.addEventListener('abort', aborted, { once: true });
        waiting.push(waiter);
        wake();
      }),
    close: async () => {
      clearInterval(timer);
      for (const waiter of [...waiting]) waiter.cancel(new Error('the worker stopped waiting for a slot'));
      await polling;
    },
  };
}
