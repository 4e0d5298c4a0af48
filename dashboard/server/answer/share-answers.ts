/** Longest time for which an answer is shared after its read began. */
const SHARED_MS = 1000;

interface Shared<T> {
  version: number;
  begunAt: number;
  answer: Promise<T>;
}

/** Returns the answer for a key: a shared one, or the result of `read`. */
export type ShareAnswers<T> = (key: string, read: () => Promise<T>) => Promise<T>;

/**
 * Shares answers between tabs: a read that is under way, and its answer for a second. A change ends the sharing, so
 * that a tab which was notified of the change reads what it is notified of. `version`: number of changes so far. A
 * failed read is shared only while it is under way.
 */
export function createAnswerShare<T>(version: () => number, clock = () => performance.now()): ShareAnswers<T> {
  const shared = new Map<string, Shared<T>>();
  return (key, read) => {
    const now = clock();
    for (const [old, { version: at, begunAt }] of shared)
      if (at !== version() || now - begunAt >= SHARED_MS) shared.delete(old);
    const known = shared.get(key);
    if (known) return known.answer;
    const answer = read();
    const entry = { version: version(), begunAt: now, answer };
    shared.set(key, entry);
    answer.catch(() => {
      if (shared.get(key) === entry) shared.delete(key);
    });
    return answer;
  };
}
