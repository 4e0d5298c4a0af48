import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { order } from '../../../../../dashboard/server/routes/trials/trials.ts';
import { calibration } from '../../../../../dashboard/server/routes/research/calibration.ts';
import { researchSince, since } from '../../../../../dashboard/server/routes/research/since.ts';
import { Calibration } from '../../../../../dashboard/api/research/calibration.ts';
import { Since, SinceOne, SinceQuery } from '../../../../../dashboard/api/research/since.ts';
import { SERIES_AXES } from '../../../../../view/page/series/axis.ts';
import { placeOnAxis } from '../../../../../view/page/series/place-on-axis.ts';
import { createPageCaches } from '../../../../../db/reads/page/page-caches.ts';
import { readEnded } from '../../../../../db/reads/page/series/read-ended.ts';
import { readPosition } from '../../../../../db/reads/page/series/read-position.ts';
import type { ResearchReport } from '../../../../../view/report/report.ts';
import { runOn } from '../../../../cli/support/cli.ts';
import { useReader } from '../../../../db/reads/page/support.ts';
import { readData, readRoute } from '../read-route.ts';

const HOUR_MS = 3_600_000;
const NOW = new Date();
const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'toy', trials: 400, now: NOW });
  await seedResearch(db, { id: 'learns', trials: 100, now: NOW, learns: true, seed: 2 });
});
/** Times with much and little before them. */
const TIMES = [10 * 24, 1, 0.25].map((hours) => new Date(NOW.getTime() - hours * HOUR_MS).toISOString());

const reported = async (at: string): Promise<{ at: string; researches: ResearchReport[] }> => {
  const { code, stdout } = await runOn(bench.url, ['report', '--json', '--since', at]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as { at: string; researches: ResearchReport[] };
};

test.each(TIMES)('the figures since %s are those that `perpetua report --since` prints', async (at) => {
  const report = await reported(at);
  const now = new Date(report.at);
  const all = await readData(bench.reader, since, { input: { at }, now });
  expect(Since.parse(all)).toEqual(all);
  expect(all.researches).toHaveLength(2);
  for (const { id, ended, claims, progress, stops, spend, slotShare } of report.researches) {
    const figures = { id, ended, claims: claims.length, progress, stops, spend, slotShare };
    expect(all.researches.find((one) => one.id === id)).toMatchObject(figures);
    const one = await readData(bench.reader, researchSince, { input: { id, at }, now });
    expect(SinceOne.parse(one)).toEqual(one);
    expect(one).toMatchObject(figures);
  }
});

test('expected and measured changes are those that `perpetua report` prints', async () => {
  const { researches } = await reported(TIMES[0] ?? '');
  const shown = Calibration.parse(await readData(bench.reader, calibration, { input: { id: 'toy' }, now: NOW }));
  expect(shown.proposers[0]?.candidates).toBeGreaterThan(100);
  expect(shown.proposers).toEqual(researches.find(({ id }) => id === 'toy')?.calibration);
});

test.each(TIMES)('the share of slot time and the stops since %s equal sums over raw rows', async (at) => {
  const { researches } = await readData(bench.reader, since, { input: { at }, now: NOW });
  const toy = researches.find(({ id }) => id === 'toy');
  if (!toy) return expect.unreachable();
  const from = new Date(Math.max(Date.parse(at), Date.parse(toy.createdAt))).toISOString();
  const [row] = await bench.query(
    `select sum(extract(epoch from least(coalesce(ended_at, $2), $2) - greatest(launched_at, $1)))::float8 as busy,
       (select sum(extract(epoch from $2::timestamptz - greatest($1, least(created_at, (
          select min(launched_at) from runs where slot_id = slots.id)))))::float8
        from slots where pool = 'lab') as span
     from runs where slot_id in (select id from slots where pool = 'lab')
       and launched_at < $2 and coalesce(ended_at, $2) > $1`,
    [from, NOW.toISOString()],
  );
  const share = row?.['busy'] === null ? 0 : Number(row?.['busy']) / Number(row?.['span']);
  expect(toy.slotShare).toBeCloseTo(share, 6);
  const changes = await bench.query(
    `select at, data ->> 'phase' as phase, lead(at, 1, $2) over (order by at) as until
     from events where research_id = 'toy' and kind = 'phase' and $1::timestamptz is not null order by at`,
    [from, NOW.toISOString()],
  );
  const still = changes
    .filter(({ phase }) => phase === 'waiting' || phase === 'paused')
    .map(({ at: begin, until }) =>
      Math.max(0, (until as Date).getTime() - Math.max((begin as Date).getTime(), Date.parse(from))),
    );
  expect(toy.stops?.seconds ?? 0).toBeCloseTo(still.reduce((sum, ms) => sum + ms, 0) / 1000, 1);
  expect(toy.stops?.count ?? 0).toBe(still.filter((ms) => ms > 0).length);
});

test('the filter of the list of trials finds as many trials as the figure counts', async () => {
  for (const at of TIMES) {
    const { ended } = await readData(bench.reader, researchSince, { input: { id: 'toy', at }, now: NOW });
    const { steps } = await readData(bench.reader, order, { input: { id: 'toy', since: at } });
    expect(steps).toHaveLength(Object.values(ended).reduce((sum, count) => sum + count, 0));
  }
});

test.each(SERIES_AXES)('the begin of a period on the axis %s is where the series places that time', async (axis) => {
  const research = await bench.researchOf('toy');
  for (const at of TIMES.map((text) => new Date(text))) {
    const { xAt } = placeOnAxis(await readEnded(bench.reader, { research, axis }, createPageCaches()), axis);
    const seconds = (at.getTime() - research.createdAt.getTime()) / 1000;
    expect(await readPosition(bench.reader, { research, axis, at })).toBeCloseTo(xAt(Math.max(0, seconds)) ?? 0, 2);
  }
});

test('a research that ended before the period is left out, and an unknown one is missing', async () => {
  await seedResearch(bench.db, { id: 'old', trials: 20, now: new Date(NOW.getTime() - 48 * HOUR_MS), seed: 3 });
  await bench.db.execute(
    sql`update researches set phase = 'stopped', updated_at = now() - interval '2 days' where id = 'old'`,
  );
  const { researches } = await readData(bench.reader, since, { input: {}, now: NOW });
  expect(researches.map(({ id }) => id).sort()).toEqual(['learns', 'toy']);
  expect(await readRoute(bench.reader, researchSince, { input: { id: 'nobody' } })).toBeUndefined();
  for (const at of ['yesterday', '2026-11-30', '']) expect(SinceQuery.safeParse({ at }).success).toBe(false);
});
