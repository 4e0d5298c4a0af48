import type { Draft, Subject } from './types.ts';

/** Discards the search trial behind a candidate; does nothing if it has none. */
export function discard(draft: Draft, subject: Subject, reason: string): void {
  if (subject.ofTrial !== null) draft.rulings.push({ n: subject.ofTrial, verdict: 'discard', reason });
}

/** Marks the search trial behind a candidate as undecided until further runs; does nothing if it has none. */
export function confirm(draft: Draft, subject: Subject, reason: string): void {
  if (subject.ofTrial !== null) draft.rulings.push({ n: subject.ofTrial, verdict: 'confirm', reason });
}
