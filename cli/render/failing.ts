import type { Failing } from '../failing.ts';
import { formatSeconds } from './number.ts';
import { oneLine } from './text.ts';

/** One thing that fails again and again, for people: what, how often, since when, when it is tried again, why. */
export function describeFailing(failing: Failing, now: Date): string {
  const { attempt, since, nextAttemptSeconds } = failing;
  const parts = [`${describeWhat(failing)} fails, attempt ${attempt}`];
  if (since !== null) parts.push(`for ${formatSeconds((now.getTime() - new Date(since).getTime()) / 1000)}`);
  if (nextAttemptSeconds !== null) parts.push(`again in ${formatSeconds(nextAttemptSeconds)}`);
  return `${parts.join(', ')}: ${oneLine(failing.message)}`;
}

/** `score of #12`, `admit of the research`, `the workflow code of #12`. */
export const describeWhat = ({ activity, trial }: Failing): string =>
  `${activity === null ? 'the workflow code' : oneLine(activity)} of ${trial === null ? 'the research' : `#${trial}`}`;
