import { expect, test } from 'vitest';
import { seedResearch } from '../../../../bench/support/seed/seed-research.ts';
import { Learning, UpdateTrials } from '../../../../dashboard/api/learning.ts';
import { learning, update } from '../../../../dashboard/server/routes/learning.ts';
import { useReader } from '../../../db/reads/page/support.ts';
import { ask, asked } from './ask.ts';

const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'learns', trials: 150, learns: true });
  await seedResearch(db, { id: 'toy', trials: 20 });
});

test('what a policy learnt is what the contract says, and so is each of its versions', async () => {
  const told = await asked(bench.reader, learning, { input: { id: 'learns' } });
  expect(Learning.parse(told)).toEqual(told);
  for (const k of [0, ...told.updates.map((one) => one.k)]) {
    const made = await asked(bench.reader, update, { input: { id: 'learns', k: String(k) } });
    expect(UpdateTrials.parse(made)).toEqual(made);
    expect(made.batch).toHaveLength(k === 0 ? 0 : 16);
  }
});

test('a research that learns nothing has no page of it, and what is no version is refused', async () => {
  expect(await ask(bench.reader, learning, { input: { id: 'toy' } })).toBeUndefined();
  expect(await ask(bench.reader, learning, { input: { id: 'nobody' } })).toBeUndefined();
  expect(await ask(bench.reader, update, { input: { id: 'learns', k: '999' } })).toBeUndefined();
  for (const k of ['-1', 'base', '1.5', '']) expect(update.input.safeParse({ id: 'learns', k }).success).toBe(false);
});
