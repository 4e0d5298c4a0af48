/** Milliseconds in which signals count as one press: npm passes a terminal's Ctrl-C on, so that it arrives twice. */
export const SAME_PRESS_MS = 300;

/** Signals of the process in two steps. HUP of a closing terminal comes several times; it never counts as second. */
export interface Interrupts {
  /** Aborted by the first press: end in order. */
  first: AbortSignal;
  /** Aborted by a second press: end at once. */
  second: AbortSignal;
  dispose: () => void;
}

/** Listens to signals until disposed. An abort of `also` counts as the first press, too. */
export function listenForInterrupts(
  also: AbortSignal | undefined,
  now: () => number = () => performance.now(),
  signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'],
): Interrupts {
  const [first, second] = [new AbortController(), new AbortController()];
  let pressedAt = -Infinity;
  const press = () => {
    const isSecond = first.signal.aborted && now() - pressedAt >= SAME_PRESS_MS;
    if (!first.signal.aborted) pressedAt = now();
    (isSecond ? second : first).abort();
  };
  const follow = () => {
    if (!first.signal.aborted) press();
  };
  const listenerOf = (signal: NodeJS.Signals) => (signal === 'SIGHUP' ? follow : press);
  for (const signal of signals) process.on(signal, listenerOf(signal));
  also?.addEventListener('abort', follow, { once: true });
  if (also?.aborted) follow();
  return {
    first: first.signal,
    second: second.signal,
    dispose: () => {
      for (const signal of signals) process.removeListener(signal, listenerOf(signal));
      also?.removeEventListener('abort', follow);
    },
  };
}
