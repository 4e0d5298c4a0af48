/**
 * One piece of work after the other. Whoever asks gets what the last one gave while that is at most `freshMs` old, or what
 * the one will give that waits for its turn. What failed is kept for nobody.
 */
export function oneAfterAnother<T>(work: () => Promise<T>, freshMs: number): () => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve();
  let last: { begun: number; result: Promise<T> } | undefined;
  return () => {
    if (last && Date.now() - last.begun < freshMs) return last.result;
    const result = turn.then(() => {
      asked.begun = Date.now();
      return work();
    });
    const asked = { begun: Infinity, result };
    turn = result.catch(() => {
      if (last === asked) last = undefined;
    });
    last = asked;
    return result;
  };
}
