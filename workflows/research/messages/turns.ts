type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs work one after the other, in the order of the calls. A failure does not stop later work. */
export function takeTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Most different messages of a batch that are written; the rest is only counted. */
const WRITTEN = 10;

/**
 * Writes messages one at a time. Messages that wait meanwhile become one batch, in which equal messages are written
 * once with a count: thousands may come at once after hours without a worker.
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
      for (const line of folded(batch)) await write(line);
    });
    return next;
  };
}

function folded(batch: ReadonlyMap<string, number>): string[] {
  const all = [...batch];
  const lines = all
    .slice(0, WRITTEN)
    .map(([message, times]) => (times === 1 ? message : `${message} (${times} times)`));
  const rest = all.slice(WRITTEN).reduce((sum, [, times]) => sum + times, 0);
  return rest === 0 ? lines : [...lines, `and ${rest} more like these`];
}
