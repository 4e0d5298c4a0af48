import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createAbortTallyReader, type AbortTallyReader } from '../../../../db/reads/status/abort-tally-reader.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import { readStatus } from '../../../../db/reads/read-status.ts';
import { insertResearch } from '../../../cli/support/lineage.ts';
import { insertEnded, abortWish } from '../../../support/database/insert-ended.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();

const stop = (id: string, n: number) =>
  insertEnded(bench.db, [id, n], { status: 'aborted', value: null, abort: abortWish(false) });

/** The number of runs stopped early, from a status that is read with this reader. */
async function stopped(researchId: string, readTally?: AbortTallyReader): Promise<number | undefined> {
  const research = await readResearch(bench.db, { researchId });
  if (!research) throw new Error('expected the research');
  return (await readStatus(bench.db, { research, ...(readTally && { readTally }) })).earlyAbort?.stopped;
}

test('trials that ended since the last read are added to the earlier count', async () => {
  await insertResearch(bench.db, 'on');
  await stop('on', 1);
  const reader = createAbortTallyReader();
  expect(await stopped('on', reader)).toBe(1);
  await stop('on', 2);
  await bench.db.execute(sql`update runs set abort = null where trial_id = 'on/1'`);
  expect(await stopped('on', reader)).toBe(2);
  expect(await stopped('on')).toBe(1);
});

test('a trial that ended before the last one, because a clock was set back, is counted, too', async () => {
  await insertResearch(bench.db, 'late');
  await stop('late', 1);
  const reader = createAbortTallyReader();
  expect(await stopped('late', reader)).toBe(1);
  await stop('late', 2);
  await bench.db.execute(sql`update trials set ended_at = '2000-01-01' where id = 'late/2'`);
  expect(await stopped('late', reader)).toBe(2);
  expect(await stopped('late', reader)).toBe(2);
});

test('trials are not counted again while no trial ends', async () => {
  await insertResearch(bench.db, 'idle');
  await stop('idle', 1);
  const reader = createAbortTallyReader();
  await stopped('idle', reader);
  await bench.db.execute(sql`update runs set abort = null where trial_id = 'idle/1'`);
  expect(await stopped('idle', reader)).toBe(1);
});

test('each research has its own count', async () => {
  await insertResearch(bench.db, 'one');
  await insertResearch(bench.db, 'two');
  await stop('one', 1);
  await insertEnded(bench.db, ['two', 1]);
  const reader = createAbortTallyReader();
  expect([await stopped('one', reader), await stopped('two', reader)]).toEqual([1, undefined]);
});
