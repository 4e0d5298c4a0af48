import { ApplicationFailure } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { orForgetLeft } from '../../../activities/research/or-forget-left.ts';
import { NOTHING_LEFT } from '../../../domain/floor/left.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const left = { ...NOTHING_LEFT, paused: true };

/** The message to a later run of the research, after one that ended as told. */
async function heardAfter(researchId: string, failure: Error): Promise<unknown> {
  await bench.store.research.noteRestart({
    ...{ workflowId: researchId, type: 'research', runId: 'old', left },
    start: { args: {}, memo: {} },
  });
  const open = orForgetLeft(bench.store, { researchId, runId: 'begun-again' }, () => Promise.reject(failure));
  await expect(open).rejects.toBe(failure);
  return bench.store.research.takeLeft({ researchId, runId: 'much-later' });
}

test('what was left for a run that is refused is heard by no later one', async () => {
  expect(await heardAfter('refused', ApplicationFailure.nonRetryable('other settings', 'Refused'))).toBeNull();
});

test.each([
  ['an opening that is tried again', ApplicationFailure.retryable('newer', 'UnknownMethod')],
  ['a database that is away', new Error('connect ECONNREFUSED')],
])('what was left is kept over %s', async (name, failure) => {
  expect(await heardAfter(name, failure)).toEqual(left);
});
