import type { Changed } from '../../api/stream.ts';
import type { Subscriber } from './hub.ts';

/** Milliseconds after which a browser whose stream broke connects again; always the same. */
const RETRY_MS = 1000;

/**
 * What one reader has yet to read: of each research only its newest cursor, so that it never grows with time. `take` gives all
 * of it as text of server-sent events, and null where nothing came for that long.
 */
export function createOutbox(): Subscriber & { take: (waitMs: number) => Promise<string | null>; wake: () => void } {
  const changes = new Map<string | null, Changed>();
  let state: string | null = null;
  let text = `retry: ${RETRY_MS}\n\n`;
  let wake: () => void = () => undefined;

  const isEmpty = (): boolean => text === '' && state === null && changes.size === 0;
  function drain(): string {
    const taken = [text, state, ...[...changes.values()].map((change) => event('changed', change))].join('');
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
