import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { readLogPage } from '../../../../../db/reads/page/trial/read-curve-page.ts';
import { useReader } from '../support.ts';

const bench = useReader((db) => seedResearch(db, { id: 'toy', trials: 60 }));

const logOf = (trialId: string) => readLogPage(bench.reader, { trialId });

test('the log is the stored end of the last placement, and says whether the run printed more', async () => {
  await bench.db.execute(sql`
    update runs set log_tail = 'whole' || chr(233), log_offset = 0, "end" = jsonb_set("end", '{outputBytes}', '7') where trial_id = 'toy/2'`);
  expect(await logOf('toy/2')).toEqual({ text: 'wholeé', placement: 1, cut: false });
  await bench.db.execute(sql`update runs set log_offset = 8 where trial_id = 'toy/2'`);
  expect(await logOf('toy/2')).toMatchObject({ cut: true });
});

test('a trial that was not placed has no log, an unknown one none at all', async () => {
  await bench.db.execute(sql`delete from runs where trial_id = 'toy/3'`);
  expect(await logOf('toy/3')).toEqual({ text: null, placement: null, cut: false });
  expect(await logOf('toy/100000')).toBeUndefined();
});
