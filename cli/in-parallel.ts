/** Number of items that are in work at a time. */
const AT_ONCE = 16;

/** Runs `work` over all items, at most 16 at a time. Returns the results in the order of the items. */
export async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const runner = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await work(items[i] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runner));
  return results;
}
