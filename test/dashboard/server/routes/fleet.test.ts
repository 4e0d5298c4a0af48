import { expect, test } from 'vitest';
import { seedResearch } from '../../../../bench/support/seed/seed-research.ts';
import { Fleet, Gantt, GanttQuery } from '../../../../dashboard/api/fleet.ts';
import { fleet, gantt } from '../../../../dashboard/server/routes/fleet.ts';
import { useReader } from '../../../db/reads/page/support.ts';
import { asked, NOW } from './ask.ts';

const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'toy', trials: 60, now: NOW });
});

test('the fleet and its time are what the contract says', async () => {
  const now = await asked(bench.reader, fleet);
  expect(Fleet.parse(now)).toEqual(now);
  expect(now.slots).toHaveLength(8);
  const day = await asked(bench.reader, gantt);
  expect(Gantt.parse(day)).toEqual(day);
  expect(day.to).toBe(NOW.toISOString());
  const hour = await asked(bench.reader, gantt, {
    input: { from: '2026-11-20T11:00:00Z', to: '2026-11-20T11:30:00Z' },
  });
  expect(hour.bars.trialId.length).toBeLessThan(day.bars.trialId.length);
});

test('a moment that is none is refused', () => {
  for (const from of ['yesterday', '2026-11-20', '1e9', '']) expect(GanttQuery.safeParse({ from }).success).toBe(false);
});
