import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../../bench/support/seed/seed-research.ts';
import { createExplanationReader } from '../../../../db/reads/explanation/explanation-reader.ts';
import { insertKnobs } from '../../../support/database/insert-knobs.ts';
import { useReader } from '../page/support.ts';

const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'toy', trials: 20 });
  await insertKnobs(db, ['toy']);
});

test('an explanation is computed again after a new outcome, but not at once', async () => {
  let now = 0;
  // Each reading of the clock is 100 ms later, so that an explanation takes 100 ms and stays for 2 s.
  const read = createExplanationReader(() => (now += 100));
  const research = await bench.researchOf('toy');
  const first = await read(bench.reader, research);
  expect(first.candidates).toMatchObject({ total: 60, used: 60 });
  now += 60_000;
  expect(await read(bench.reader, research)).toBe(first);

  await bench.db.execute(sql`update observations set runs = 2 where research_id = 'toy' and seq = 1`);
  const second = await read(bench.reader, research);
  expect(second).not.toBe(first);
  await bench.db.execute(sql`update observations set value = null, runs = 0 where research_id = 'toy' and seq = 1`);
  expect(await read(bench.reader, research)).toBe(second);
  now += 2000;
  expect((await read(bench.reader, research)).candidates).toMatchObject({ total: 60, used: 59 });
});
