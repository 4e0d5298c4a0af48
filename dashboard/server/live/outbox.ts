import type { Changed } from '../../api/live/stream.ts';
import type { Subscriber } from './hub.ts';

/** Time after which a browser whose stream broke connects again. */
const RETRY_MS = 1000;

/**
 * Creates a queue of the changes that one reader has not received. It keeps only the newest cursor of each research, so
 * it does not grow with time. `take` returns the queue as text of server-sent events, or null after `waitMs`
 * milliseconds without a change.
 */
export function createOutbox(): Subscriber & { take: (waitMs: number) => Promise<string | null>; wake: () => void } {
  const changes = new Map<string | null, Changed>();
  let state: string | null = null;
  let text = `retry: ${RETRY_MS}\n\n`;
  let wake: () => void = () => undefined;

  const isEmpty = (): boolean => text === '' && state === null && changes.size === 0;
  function drain(): string {
    const changed = [...changes.values()].map((change) => event('changed', change));
    const taken = [text, state, ...changed].join('');
    changes.clear();
    [text, state] = ['', null];
    return taken;
  }
  return {
    changed: (change) => {
      changes.set(change.research, change);
      wake();
    },
    away: (message) => {
      state = event('away', { message });
      wake();
    },
    back: () => {
      state = event('back', {});
      wake();
    },
    take: async (waitMs) => {
      if (!isEmpty()) return drain();
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, waitMs);
      });
      clearTimeout(timer);
      return isEmpty() ? null : drain();
    },
    wake: () => wake(),
  };
}

const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
