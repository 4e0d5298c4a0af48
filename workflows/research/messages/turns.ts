type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs work one after the other, in the order of the calls. A failure does not stop later work. */
export function takeTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** Most different messages of a batch that are written; the others are only counted. */
const MOST_WRITTEN = 10;

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
      for (const line of foldedLines(batch)) await write(line);
    });
    return next;
  };
}

function foldedLines(batch: ReadonlyMap<string, number>): string[] {
  const all = [...batch];
  const lines = all
    .slice(0, MOST_WRITTEN)
    .map(([message, times]) => (times === 1 ? message : `${message} (${times} times)`));
  const rest = all.slice(MOST_WRITTEN).reduce((sum, [, times]) => sum + times, 0);
  return rest === 0 ? lines : [...lines, `and ${rest} more like these`];
}
