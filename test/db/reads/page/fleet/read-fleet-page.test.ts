import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { FIGURES, type FigureName } from '../../../../../dashboard/api/figures.ts';
import { Fleet } from '../../../../../dashboard/api/fleet.ts';
import { readFleetPage } from '../../../../../db/reads/page/fleet/read-fleet-page.ts';
import { useReader } from '../support.ts';

const NOW = new Date('2026-11-20T12:00:00Z');

const bench = useReader(async (db) => {
  await seedResearch(db, { id: 'toy', trials: 400, now: NOW, trouble: true });
  await db.execute(sql`
    insert into slots (id, pool, host, index, state, created_at) values
      ('local/0', 'local', 'desk', 0, 'free', null),
      ('young/0', 'local', 'desk', 1, 'free', '2026-11-20T11:30:00Z'),
      ('desk/agents/0', 'agents', 'desk', 2, 'free', null),
      ('gone/0', 'local', 'gone', 0, 'retired', null)`);
});

async function figure(name: FigureName, key: string | null): Promise<unknown> {
  const parameters = FIGURES[name].includes('$2') ? [key, NOW.toISOString()] : [key];
  return (await bench.query(FIGURES[name], parameters))[0]?.value;
}

test('every number is that of its SQL', async () => {
  const page = await readFleetPage(bench.reader, { now: NOW });
  const close = (value: unknown) => (typeof value === 'number' ? expect.closeTo(value, 9) : value) as unknown;
  for (const name of ['busyHour', 'busyDay'] as const) {
    expect(page[name]).toEqual(close(await figure(`fleet.${name}`, null)));
    for (const slot of page.slots) expect(slot[name]).toEqual(close(await figure(`slot.${name}`, slot.id)));
  }
  for (const pool of page.pools)
    for (const name of ['total', 'leased'] as const) expect(pool[name]).toBe(await figure(`pool.${name}`, pool.pool));
  for (const host of page.hosts)
    for (const name of ['slots', 'running', 'failures'] as const)
      if (host.state !== 'local' || name !== 'failures')
        expect([host.name, name, host[name]]).toEqual([host.name, name, await figure(`host.${name}`, host.name)]);
  expect(page.busyHour).toBeGreaterThan(0.3);
});

test('places of agents are no slots: they change no share of all slots, and no number of their host', async () => {
  const read = async () => {
    const { hosts, busyHour, busyDay } = await readFleetPage(bench.reader, { now: NOW });
    return { hosts: hosts.map(({ name, slots, running }) => ({ name, slots, running })), busyHour, busyDay };
  };
  const before = await read();
  await bench.db.execute(sql`insert into slots (id, pool, host, index) values ('desk/agents/1', 'agents', 'desk', 3)`);
  expect(await read()).toEqual(before);
});

test('shares are clipped to the period, and a run under way counts up to now', async () => {
  await bench.db.execute(sql`
    insert into jobs (id, kind, pool, priority, spec) values ('long', 'command', 'local', 3, '{}')`);
  await bench.db.execute(sql`
    insert into runs (trial_id, placement, host, slot_id, fence, launched_at, ended_at) values
      ('long', 1, 'desk', 'local/0', 1, '2026-11-20T10:30:00Z', '2026-11-20T11:15:00Z'),
      ('long', 2, 'desk', 'local/0', 2, '2026-11-20T11:45:00Z', null)`);
  const { slots } = await readFleetPage(bench.reader, { now: NOW });
  const local = slots.find(({ id }) => id === 'local/0');
  expect(local?.busyHour).toBeCloseTo(0.5, 9);
  expect(local?.busyDay).toBeCloseTo(1 / 24, 9);
});

test('the share of a slot that is younger than the period is that of its own age', async () => {
  await bench.db.execute(sql`
    insert into runs (trial_id, placement, host, slot_id, fence, launched_at, ended_at) values
      ('long', 3, 'desk', 'young/0', 1, '2026-11-20T11:45:00Z', null)`);
  const { slots } = await readFleetPage(bench.reader, { now: NOW });
  expect(slots.find(({ id }) => id === 'young/0')).toMatchObject({ busyHour: 0.5, busyDay: 0.5 });
});

test('a machine of a worker is a host if it has slots', async () => {
  const { hosts } = await readFleetPage(bench.reader, { now: NOW });
  expect(hosts.find(({ name }) => name === 'desk')).toMatchObject({
    state: 'local',
    pool: 'local',
    slots: 2,
    running: 0,
  });
  expect(hosts.map(({ name }) => name)).not.toContain('gone');
});

test('a host has its machine in words, and its problem with the command', async () => {
  const { hosts } = await readFleetPage(bench.reader, { now: NOW });
  const [well, ill] = hosts.filter(({ name }) => name.startsWith('gpu-'));
  expect(well).toMatchObject({ problem: null, machine: '4 × NVIDIA H100 80GB HBM3, 32 cores, 256 GiB of memory' });
  expect(ill?.problem).toMatch(/connection timed out \(next probe .*npx perpetua fleet resume gpu-\d\)$/);
});

test('gaps count from when the slot and its next run were both ready', async () => {
  const { rows } = await bench.db.execute<{ gap: number }>(sql`
    select greatest(0, extract(epoch from r.launched_at - greatest(t.ready_at, (
        select max(b.ended_at) from runs b where b.slot_id = r.slot_id and b.launched_at < r.launched_at
      ))))::float8 as gap
    from runs r join trials t on t.id = r.trial_id
    where exists (select 1 from runs b where b.slot_id = r.slot_id and b.launched_at < r.launched_at)
      and r.launched_at > ${NOW.toISOString()}::timestamptz - interval '24 hours'
    order by 1`);
  const { pools } = await readFleetPage(bench.reader, { now: NOW });
  const lab = pools.find(({ pool }) => pool === 'lab');
  const median = rows[Math.floor(rows.length / 2)]?.gap ?? NaN;
  expect(rows.length).toBeGreaterThan(100);
  expect(lab?.gapP50).toBeCloseTo(median, 0);
  expect(lab?.gapP95).toBeGreaterThanOrEqual(lab?.gapP50 ?? Infinity);
});

test('the answer matches the contract', async () => {
  const page = await readFleetPage(bench.reader, { now: NOW });
  expect(Fleet.parse(page)).toEqual(page);
});
