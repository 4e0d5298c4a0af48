import type { Failing } from '../temporal/failing.ts';
import { formatSeconds } from '../../domain/text/format.ts';
import { oneLine } from '../../domain/text/sanitize.ts';

/** Number of trials that a line names; the line counts all trials. */
const NAMED = 5;

/** Describes work that fails repeatedly, a line each. Trials with the same activity and message share a line. */
export function describeAllFailing(failing: Failing[], now: Date): string[] {
  const groups = new Map<string, Failing[]>();
  for (const item of failing) {
    const key = JSON.stringify([item.trial === null, item.activity, item.message]);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    return group.length === 1 && first ? describeFailing(first, now) : describeTogether(group, now);
  });
}

/** Describes work that fails repeatedly: its name, attempt, duration, next attempt and message. */
export const describeFailing = (failing: Failing, now: Date): string => describe(describeWhat(failing), failing, now);

/** Name of failing work: `score of #12`, `admit of the research`, `the workflow code of #12`. */
export const describeWhat = ({ activity, trial }: Failing): string =>
  `${describeActivity(activity)} of ${trial === null ? 'the research' : `#${trial}`}`;

/** Describes a group: its highest attempt, its earliest failure, and its soonest next attempt. */
function describeTogether(group: Failing[], now: Date): string {
  const sinces = group.flatMap(({ since }) => (since === null ? [] : [since])).sort();
  const nexts = group.flatMap(({ nextAttemptSeconds }) => (nextAttemptSeconds === null ? [] : [nextAttemptSeconds]));
  const trials = group.map(({ trial }) => `#${trial}`);
  const names = trials.length > NAMED ? [...trials.slice(0, NAMED), '…'] : trials;
  return describe(
    `${describeActivity(group[0]?.activity ?? null)} of ${group.length} trials (${names.join(', ')})`,
    {
      message: group[0]?.message ?? '',
      attempt: Math.max(...group.map(({ attempt }) => attempt)),
      since: sinces[0] ?? null,
      nextAttemptSeconds: nexts.length === 0 ? null : Math.min(...nexts),
    },
    now,
  );
}

function describe(
  name: string,
  failing: Pick<Failing, 'attempt' | 'since' | 'nextAttemptSeconds' | 'message'>,
  now: Date,
): string {
  const { attempt, since, nextAttemptSeconds } = failing;
  const parts = [`${name} fails, attempt ${attempt}`];
  if (since !== null) parts.push(`for ${formatSeconds((now.getTime() - new Date(since).getTime()) / 1000)}`);
  if (nextAttemptSeconds !== null) parts.push(`again in ${formatSeconds(nextAttemptSeconds)}`);
  return `${parts.join(', ')}: ${oneLine(failing.message)}`;
}

const describeActivity = (activity: string | null): string =>
  activity === null ? 'the workflow code' : oneLine(activity);
