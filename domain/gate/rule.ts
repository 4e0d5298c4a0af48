import type { Draft, Subject } from './types.ts';

/** Rules that the search trial behind a candidate is out; nothing where it has none. */
export function discard(draft: Draft, subject: Subject, reason: string): void {
  if (subject.ofTrial !== null) draft.rulings.push({ n: subject.ofTrial, verdict: 'discard', reason });
}

/** Rules that the search trial behind a candidate is to be run again before it is ruled on. */
export function confirm(draft: Draft, subject: Subject, reason: string): void {
  if (subject.ofTrial !== null) draft.rulings.push({ n: subject.ofTrial, verdict: 'confirm', reason });
}
