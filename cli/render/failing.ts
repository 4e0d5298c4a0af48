import type { Failing } from '../temporal/failing.ts';
import { formatSeconds } from '../../domain/text/format.ts';
import { oneLine } from '../../domain/text/sanitize.ts';

/** Trials that a line names; the others are counted. */
const NAMED = 5;

/** What fails again and again, for people, a line each; what is the same for several trials has one line for them all. */
export function describeAllFailing(failing: Failing[], now: Date): string[] {
  const groups = new Map<string, Failing[]>();
  for (const one of failing) {
    const same = JSON.stringify([one.trial === null, one.activity, one.message]);
    groups.set(same, [...(groups.get(same) ?? []), one]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group;
    return group.length === 1 && first ? describeFailing(first, now) : describeTogether(group, now);
  });
}

/** One thing that fails again and again, for people: what, how often, since when, when it is tried again, why. */
export const describeFailing = (failing: Failing, now: Date): string => describe(describeWhat(failing), failing, now);

/** `score of #12`, `admit of the research`, `the workflow code of #12`. */
export const describeWhat = ({ activity, trial }: Failing): string =>
  `${describeActivity(activity)} of ${trial === null ? 'the research' : `#${trial}`}`;

/** The attempt is the latest of them, since the first began; the next one is the soonest. */
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
  what: string,
  failing: Pick<Failing, 'attempt' | 'since' | 'nextAttemptSeconds' | 'message'>,
  now: Date,
): string {
  const { attempt, since, nextAttemptSeconds } = failing;
  const parts = [`${what} fails, attempt ${attempt}`];
  if (since !== null) parts.push(`for ${formatSeconds((now.getTime() - new Date(since).getTime()) / 1000)}`);
  if (nextAttemptSeconds !== null) parts.push(`again in ${formatSeconds(nextAttemptSeconds)}`);
  return `${parts.join(', ')}: ${oneLine(failing.message)}`;
}

const describeActivity = (activity: string | null): string =>
  activity === null ? 'the workflow code' : oneLine(activity);
