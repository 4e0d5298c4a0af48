import { BEAT_MS } from '../domain/pulse.ts';
import type { Store } from '../db/store.ts';

interface Options {
  store: { worker: Pick<Store['worker'], 'recordBeat'> };
  /** Name of the worker in rows. */
  workerId: string;
  host: string;
  onError: (error: unknown) => void;
  everyMs?: number;
}

/** Stores a beat of this worker again and again, by which pages show if it works; returns the function that ends it. */
export function beat({ store, workerId, host, onError, everyMs = BEAT_MS }: Options): () => Promise<void> {
  let beating: Promise<void> = Promise.resolve();
  let isBeating = false;
  const once = (): void => {
    // Postgres may answer late: the next beat waits for this one.
    if (isBeating) return;
    isBeating = true;
    beating = store.worker
      .recordBeat({ workerId, host, pid: process.pid })
      .catch(onError)
      .finally(() => (isBeating = false));
  };
  once();
  const timer = setInterval(once, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    return beating;
  };
}
