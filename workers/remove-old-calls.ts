import type { Store } from '../db/store.ts';

/** The first removal comes after the start of the worker, the next ones each hour. */
const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;

interface Options {
  store: { call: Pick<Store['call'], 'dropBodies'> };
  /** PERPETUA_CALL_DAYS; null: nothing is ever removed. */
  days: number | null;
  onError: (error: unknown) => void;
  firstMs?: number;
}

/** Removes requests and answers of old model calls from time to time; returns the function that ends it. */
export function removeOldCalls({ store, days, onError, firstMs = FIRST_MS }: Options): () => Promise<void> {
  if (days === null) return () => Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let removing: Promise<void> = Promise.resolve();
  let isStopped = false;
  const remove = async (): Promise<void> => {
    await store.call.dropBodies({ days }).catch(onError);
    if (!isStopped) plan(EVERY_MS);
  };
  const plan = (delay: number): void => {
    timer = setTimeout(() => {
      removing = remove();
    }, delay).unref();
  };
  plan(firstMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return removing;
  };
}
