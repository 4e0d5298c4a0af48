import { ApplicationFailure } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { isTrialId } from '../../domain/trial/ids.ts';

/**
 * Activities of the research loop itself, and the one that stores the end of a trial. Their failure would end the
 * research, or the trial without its reason, so they are retried without end.
 */
const NEVER_FINAL: readonly string[] = ['admit', 'reconcile', 'recordPhase', 'findOutcomes', 'alert', 'abandon'];

/** SQLSTATEs of values that the database cannot hold, and of those that a check or a trigger of its owner refuses. */
const REFUSED_VALUE = /^(22...|54...|23514|P0001)$/;
/** SQLSTATE class of violated constraints. */
const CONSTRAINT = /^23...$/;
/** Attempts within which a race with another attempt, or a row that is still to come, resolves itself. */
const CONSTRAINT_ATTEMPTS = 10;

/** SQLSTATEs of a database that is full, has no memory, fails, or only reads. */
const FAILING = /^(53[124]00|58...|XX...|25006)$/;
/** Time after which a trial ends if each attempt of an activity finds the database failing. */
const FAILING_MS = 15_000;
/** The same for activities that have the result of a run, which is lost with the trial. */
const FAILING_WITH_RESULT_MS = 120_000;
const WITH_RESULT: readonly string[] = ['monitor', 'score'];

interface Activity {
  activityType: string;
  attempt: number;
  workflowExecution?: { workflowId: string } | undefined;
}

interface Clock {
  /** Time of the first of the successive attempts that found the database failing, by activity. */
  failingSince: Map<string, number>;
  now: () => number;
}

const CLOCK: Clock = { failingSince: new Map(), now: Date.now };

/**
 * Ends an activity whose values Postgres refuses: every retry would be refused, and its workflow would wait for ever.
 * Ends an activity of a trial, too, if the database has failed for long while it could store the trial's end: the
 * research then waits, and says why. A database that can store nothing is waited for, so that no result is lost.
 */
export const endOnDatabaseRefusal = (
  activity: Activity,
  canEndTrial: (trialId: string) => Promise<boolean>,
  clock = CLOCK,
): ActivityInboundCallsInterceptor => ({
  execute: async (input, next) => {
    const key = `${trialIdOf(activity)}/${activity.activityType}`;
    try {
      const result: unknown = await next(input);
      clock.failingSince.delete(key);
      return result;
    } catch (error) {
      if (NEVER_FINAL.includes(activity.activityType)) throw error;
      const refusal = findRefusal(error, activity.attempt);
      const failing = refusal ? undefined : findLongFailing(error, { activity, key, clock });
      if (!refusal && !(failing && (await canEndTrial(trialIdOf(activity))))) throw error;
      clock.failingSince.delete(key);
      const cause = refusal ?? failing;
      throw ApplicationFailure.create({
        message: `the database ${refusal ? 'refuses these values' : 'fails'}: ${cause?.message}`,
        type: 'RefusedByDatabase',
        nonRetryable: true,
        ...(cause ? { cause } : {}),
      });
    }
  },
});

/** Id of the workflow, which is the trial's id for activities of trials. */
const trialIdOf = ({ workflowExecution }: Activity): string => workflowExecution?.workflowId ?? '';

/** Postgres error that no further attempt can resolve; undefined if there is none. */
const findRefusal = (error: unknown, attempt: number): Error | undefined =>
  findByCode(error, (code) => REFUSED_VALUE.test(code) || (CONSTRAINT.test(code) && attempt >= CONSTRAINT_ATTEMPTS));

/** Postgres error of a failing database, once the activity of a trial has found it for long enough. */
function findLongFailing(
  error: unknown,
  { activity, key, clock }: { activity: Activity; key: string; clock: Clock },
): Error | undefined {
  const failing = findByCode(error, (code) => FAILING.test(code));
  // Any other failure begins a new wait. So does a new activity: the trial's previous one of this type may have been
  // cancelled, or may have ended on another worker.
  if (!failing || activity.attempt === 1) clock.failingSince.delete(key);
  if (!failing || !isTrialId(trialIdOf(activity))) return undefined;
  const now = clock.now();
  const since = clock.failingSince.get(key) ?? now;
  clock.failingSince.set(key, since);
  const limit = WITH_RESULT.includes(activity.activityType) ? FAILING_WITH_RESULT_MS : FAILING_MS;
  return now - since >= limit ? failing : undefined;
}

/** The error among causes whose SQLSTATE matches. Drizzle wraps errors of Postgres. */
function findByCode(error: unknown, matches: (code: string) => boolean): Error | undefined {
  for (let each = error; each instanceof Error; each = each.cause)
    if ('code' in each && typeof each.code === 'string' && matches(each.code)) return each;
  return undefined;
}
