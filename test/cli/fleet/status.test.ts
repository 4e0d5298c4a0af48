import { expect, test } from 'vitest';
import { sql } from 'drizzle-orm';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { useDatabase } from '../../db/support.ts';
import { runOn } from '../support/cli.ts';

const bench = useDatabase();

test('a host has the same condition in the table and as JSON, also if it was never tried', async () => {
  const names = ['drained', 'ill', 'new', 'well'];
  await bench.store.host.applyFleet(
    Fleet.parse({
      pools: { p: { slots: 'cpu' } },
      hosts: names.map((name) => ({ name, pool: 'p', labels: [`rack of ${name}`] })),
    }),
  );
  await bench.db.execute(sql`update hosts set seen_at = now() where name <> 'new'`);
  await bench.store.host.drainHosts({ names: ['drained'], drain: true });
  await bench.store.host.noteHostFailure({ name: 'ill', message: 'no route' });
  const conditions = ['draining', 'quarantine', 'not probed yet', 'serving'];
  const [json] = (await runOn(bench.url, ['fleet', '--json'])).json() as { hosts: object[] }[];
  expect(json?.hosts).toMatchObject(
    names.map((name, index) => ({ condition: conditions[index], labels: [`rack of ${name}`] })),
  );
  const { stdout } = await runOn(bench.url, ['fleet']);
  names.forEach((name, index) =>
    expect(stdout).toMatch(new RegExp(`^${name} +p +${conditions[index]} .* rack of ${name}$`, 'm')),
  );
});

test('an error that is over is marked so, and shortened', async () => {
  await bench.store.host.applyFleet(
    Fleet.parse({ pools: { p: { slots: 'cpu' } }, hosts: [{ name: 'again', pool: 'p' }] }),
  );
  await bench.store.host.noteHostFailure({ name: 'again', message: `no route ${'to it '.repeat(100)}` });
  await bench.db.execute(sql`update hosts set quarantined_until = null, seen_at = now() where name = 'again'`);
  const line = (await runOn(bench.url, ['fleet'])).stdout.split('\n').find((text) => text.includes('last error'));
  expect(line).toMatch(/^ {2}again: over now; last error, .* ago: no route to it .*…$/);
  expect(line?.length).toBeLessThan(200);
});
