import { numberText } from '../text/format.ts';
import { endsOfLine } from './clean.ts';
import { FAILURE_WORDS, STATUS_WORDS } from './failure-words.ts';
import type { Seen } from './prompt-input.ts';

/** The end of a known candidate in words of our own, as in `trial 7 gave loss 2.634`. */
export function endWords({ status, failure, value }: Omit<Seen, 'n'>, metric: string): string {
  if (status === null) return 'is still running';
  if (value !== null) return `gave ${metric} ${numberText(value)}`;
  if (status === 'aborted') return 'was stopped early, result unknown';
  if (status === 'lost') return 'was lost, result unknown';
  return failure ? `failed: ${FAILURE_WORDS[failure.label]}` : `ended as ${STATUS_WORDS[status]}`;
}

/** What a model hears whose answer is a known candidate. It quotes what a program said, so it belongs in a fence. */
export function triedBefore(seen: Seen, metric: string): string {
  const { n, status, failure, value } = seen;
  const detail = status !== null && value === null && failure?.message ? `: ${endsOfLine(failure.message, 300)}` : '';
  return `tried before: these edits give the same files as trial ${n}, which ${endWords(seen, metric)}${detail}. Propose something else.`;
}
