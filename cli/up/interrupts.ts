/** npm passes a terminal's Ctrl-C on, so that one press arrives twice. */
export const SAME_PRESS_MS = 300;

/**
 * Ctrl-C and TERM, or Ctrl-C alone: the first asks for an orderly end, the second (a new press) for a hard one. HUP of a terminal that
 * closes comes several times, and is never the second.
 */
export interface Interrupts {
  first: AbortSignal;
  second: AbortSignal;
  dispose: () => void;
}

/** Listens until disposed; `also` counts as the first, too. */
export function listenForInterrupts(
  also: AbortSignal | undefined,
  now: () => number = () => performance.now(),
  signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'],
): Interrupts {
  const [first, second] = [new AbortController(), new AbortController()];
  let pressedAt = -Infinity;
  const press = () => {
    const again = first.signal.aborted && now() - pressedAt >= SAME_PRESS_MS;
    if (!first.signal.aborted) pressedAt = now();
    (again ? second : first).abort();
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
