import { numberText } from '../text/format.ts';
import { truncateMiddle } from './strip-controls.ts';
import { FAILURE_DESCRIPTIONS, STATUS_DESCRIPTIONS } from './failure-descriptions.ts';
import type { KnownOutcome } from './prompt-input.ts';

/** Describes a known candidate's outcome without quoting a program, as in `trial 7 gave loss 2.634`. */
export function describeKnownOutcome({ status, failure, value }: Omit<KnownOutcome, 'n'>, metric: string): string {
  if (status === null) return 'is still running';
  if (value !== null) return `gave ${metric} ${numberText(value)}`;
  if (status === 'aborted') return 'was stopped early, result unknown';
  if (status === 'lost') return 'was lost, result unknown';
  return failure ? `failed: ${FAILURE_DESCRIPTIONS[failure.label]}` : `ended as ${STATUS_DESCRIPTIONS[status]}`;
}

/**
 * Tells a model that its answer is a known candidate. It may quote a program's output, so the caller puts it in a
 * fence.
 */
export function describeDuplicate(
  seen: KnownOutcome,
  { metric, isSameText }: { metric: string; isSameText: boolean },
): string {
  const { n, status, failure, value } = seen;
  const detail =
    status !== null && value === null && failure?.message ? `: ${truncateMiddle(failure.message, 300)}` : '';
  const result = isSameText ? 'the same files as' : 'a program that differs only in comments and formatting from';
  return (
    `tried before: these edits give ${result} trial ${n}, which ` +
    `${describeKnownOutcome(seen, metric)}${detail}. Propose something else.`
  );
}

/** Tells a model that its change is much like an earlier one. It quotes no program. `similar`: from 0 to 1. */
export const describeNear = (seen: KnownOutcome, { metric, similar }: { metric: string; similar: number }): string =>
  `nearly tried before: these edits are ${Math.floor(similar * 100)} % like those of trial ${seen.n} of the same ` +
  `parent, which ${describeKnownOutcome(seen, metric)}. Propose edits that differ more.`;
