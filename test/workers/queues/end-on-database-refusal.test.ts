import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { sql } from 'drizzle-orm';
import type { ActivityExecuteInput } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { overrideVerdict } from '../../../activities/steer.ts';
import { endOnDatabaseRefusal } from '../../../workers/queues/end-on-database-refusal.ts';
import { insertResearch, storeTrials, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
beforeAll(() => insertResearch(bench.db, 'one'));

const canEnd = () => Promise.resolve(true);

const failure = (activityType: string, attempt: number, act: () => Promise<unknown>): Promise<unknown> =>
  Promise.resolve(
    endOnDatabaseRefusal({ activityType, attempt }, canEnd).execute?.({} as ActivityExecuteInput, act),
  ).then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  );

const tooLarge = () =>
  overrideVerdict(bench.store, {
    researchId: 'one',
    n: 2 ** 31,
    verdict: 'keep',
    reason: 'a number no row can have',
  });
const ofNoResearch = () => bench.store.research.insertNote({ id: 'note', researchId: 'none', text: 'too early' });

test('a value that the database cannot hold is refused at once, in the words of Postgres', async () => {
  const thrown = await failure('overrideVerdict', 1, tooLarge);
  expect(thrown).toBeInstanceOf(ApplicationFailure);
  expect(thrown).toMatchObject({ nonRetryable: true, message: expect.stringMatching(/these values: .*2147483648/) });
});

test('a call that breaks a constraint is refused at the tenth attempt, since a race may break it', async () => {
  expect(await failure('addNotes', 9, ofNoResearch)).not.toBeInstanceOf(ApplicationFailure);
  expect(await failure('addNotes', 10, ofNoResearch)).toMatchObject({ nonRetryable: true });
});

test('an activity of the loop itself is never refused', async () => {
  expect(await failure('admit', 100, tooLarge)).not.toBeInstanceOf(ApplicationFailure);
});

test('any other failure is passed on as it is', async () => {
  const gone = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  expect(await failure('overrideVerdict', 100, () => Promise.reject(gone))).toBe(gone);
});

describe('a failing database', () => {
  const full = (code: string) => () => Promise.reject(Object.assign(new Error('No space left on device'), { code }));
  /** Seconds after which an activity of this workflow ends, if each attempt finds that error. */
  const endsAfter = async (
    [activityType, workflowId]: [string, string],
    code: string,
    canStore = canEnd,
  ): Promise<number | null> => {
    const failingSince = new Map<string, number>();
    for (let seconds = 0; seconds <= 3600; seconds += 5) {
      const activity = { activityType, attempt: 1 + seconds / 5, workflowExecution: { workflowId } };
      const execute = endOnDatabaseRefusal(activity, canStore, { failingSince, now: () => seconds * 1000 }).execute;
      const thrown = await Promise.resolve(execute?.({} as ActivityExecuteInput, full(code))).catch(
        (error: unknown) => error,
      );
      if (thrown instanceof ApplicationFailure) {
        expect(thrown).toMatchObject({ nonRetryable: true, message: 'the database fails: No space left on device' });
        return seconds;
      }
    }
    return null;
  };

  test.each(['53100', '53200', '58030', 'XX001', '25006'])(
    'ends a trial after a while (%s), later if that loses the result of a run',
    async (code) => {
      expect(await endsAfter(['propose', 'toy/1'], code)).toBe(15);
      expect(await endsAfter(['monitor', 'toy/1'], code)).toBe(120);
      expect(await endsAfter(['score', 'toy/1'], code)).toBe(120);
    },
  );

  test('that can store nothing ends no trial', async () => {
    expect(await endsAfter(['monitor', 'toy/1'], '53100', () => Promise.resolve(false))).toBeNull();
  });

  test('never ends the activities of a research, nor the one that stores the end of a trial', async () => {
    expect(await endsAfter(['openResearch', 'toy'], '53100')).toBeNull();
    expect(await endsAfter(['abandon', 'toy/1'], '53100')).toBeNull();
  });

  describe('begins a new wait', () => {
    /** True if an attempt ends the activity 20 s after it found the database failing, and after another attempt. */
    const endsAfterwards = async (between: () => Promise<unknown>, nextAttempt = 3): Promise<boolean> => {
      const clock = { failingSince: new Map<string, number>(), now: () => 0 };
      const execute = async (attempt: number, act: () => Promise<unknown>): Promise<unknown> => {
        const activity = { activityType: 'propose', attempt, workflowExecution: { workflowId: 'toy/1' } };
        const { execute: run } = endOnDatabaseRefusal(activity, canEnd, clock);
        return Promise.resolve(run?.({} as ActivityExecuteInput, act)).catch((error: unknown) => error);
      };
      await execute(1, full('53100'));
      await execute(2, between);
      clock.now = () => 20_000;
      return (await execute(nextAttempt, full('53100'))) instanceof ApplicationFailure;
    };

    test('unless it fails at every attempt', async () => {
      expect(await endsAfterwards(full('53100'))).toBe(true);
    });

    test.each<[string, () => Promise<unknown>]>([
      ['works', () => Promise.resolve('stored')],
      ['is not what fails', () => Promise.reject(new Error('connect ECONNREFUSED'))],
      ['serves a cancelled activity', () => Promise.reject(new CancelledFailure('cancelled'))],
    ])('if it %s in between', async (_why, between) => {
      expect(await endsAfterwards(between)).toBe(false);
    });

    test('for the next activity of the same type', async () => {
      expect(await endsAfterwards(full('53100'), 1)).toBe(false);
    });
  });
});

test.each(['22021', '22P05', '22001', '23514', '54000', 'P0001'])('a refused value (%s) ends at once', async (code) => {
  const refused = () => Promise.reject(Object.assign(new Error('refused'), { code }));
  expect(await failure('monitor', 1, refused)).toMatchObject({ nonRetryable: true, type: 'RefusedByDatabase' });
});

test('the database is asked by the change that ends the trial, which is taken back', async () => {
  await storeTrials(bench.db, trialRow('one', 7));
  const { canEndTrial } = bench.store.trial;
  expect(await canEndTrial('one/7')).toBe(true);
  expect(await bench.store.trial.loadTrial('one/7')).toMatchObject({ status: null, endedAt: null });
  await bench.db.execute(sql`create function full_disk() returns trigger language plpgsql as
    'begin raise exception using errcode = ''53100''; end'`);
  await bench.db.execute(sql`create trigger full_disk before update on trials execute function full_disk()`);
  expect(await canEndTrial('one/7')).toBe(false);
});
