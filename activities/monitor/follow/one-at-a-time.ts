/** Whoever asks while the work is under way waits for that. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let busy: Promise<void> | undefined;
  return () => (busy ??= work().finally(() => (busy = undefined)));
}
