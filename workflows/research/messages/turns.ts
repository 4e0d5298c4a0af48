type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** One after the other, in the order in which they came; one that fails stops none. */
export function takeTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Different messages that are written of those that waited together; of the rest there is a count. */
const WRITTEN = 10;

/**
 * Writes messages one at a time. Thousands may come at once, after hours without a worker: what waits meanwhile is folded, the
 * same words into one with a count.
 */
export function foldMessages(write: (message: string) => Promise<void>): (message: string) => Promise<void> {
  const turns = takeTurns();
  let waiting = new Map<string, number>();
  let next: Promise<void> | null = null;
  return (message) => {
    waiting.set(message, (waiting.get(message) ?? 0) + 1);
    next ??= turns(async () => {
      const batch = waiting;
      waiting = new Map();
      next = null;
      for (const words of folded(batch)) await write(words);
    });
    return next;
  };
}

function folded(batch: ReadonlyMap<string, number>): string[] {
  const all = [...batch];
  const rest = all.slice(WRITTEN).reduce((sum, [, times]) => sum + times, 0);
  return [
    ...all.slice(0, WRITTEN).map(([message, times]) => (times === 1 ? message : `${message} (${times} times)`)),
    ...(rest === 0 ? [] : [`and ${rest} more like these`]),
  ];
}
