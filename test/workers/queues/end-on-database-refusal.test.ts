import { ApplicationFailure } from '@temporalio/activity';
import type { ActivityExecuteInput } from '@temporalio/worker';
import { beforeAll, expect, test } from 'vitest';
import { overrideVerdict } from '../../../activities/steer.ts';
import { endOnDatabaseRefusal } from '../../../workers/queues/end-on-database-refusal.ts';
import { insertResearch } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
beforeAll(() => insertResearch(bench.db, 'one'));

const failure = (activityType: string, attempt: number, act: () => Promise<unknown>): Promise<unknown> =>
  Promise.resolve(endOnDatabaseRefusal({ activityType, attempt }).execute?.({} as ActivityExecuteInput, act)).then(
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
