import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { useDatabase } from '../support.ts';

const bench = useDatabase();

const fleet = Fleet.parse({ pools: { lab: { slots: 'gpu' } }, hosts: [{ name: 'box', pool: 'lab' }] });
const gpuOf = (uuid: string, index: number) => ({ index, uuid, name: 'Stand-In', memoryMb: 81_920 });

/** Records a probe that found some GPUs, and remembers earlier ones. */
function probe({ found, gpusSeen }: { found: string[]; gpusSeen: string[] }): Promise<void> {
  const [spec] = fleet.hosts;
  const poolSpec = fleet.pools.lab;
  if (!spec || !poolSpec) throw new Error('Expected a host and its pool');
  return bench.store.host.recordGoodProbe({
    host: { name: 'box', pool: 'lab', spec, poolSpec },
    note: null,
    slots: [],
    facts: { cores: 8, memoryMb: 8192, gpus: found.map(gpuOf), gpusSeen },
  });
}

const seen = async () => (await bench.store.host.findHosts()).map(({ facts }) => facts?.gpusSeen)[0];

test('a GPU that a host had before stays known to later probes', async () => {
  await bench.store.host.applyFleet(fleet);
  await probe({ found: ['A', 'B'], gpusSeen: ['A', 'B'] });
  await probe({ found: ['A'], gpusSeen: ['A', 'B'] });
  expect(await seen()).toEqual(['A', 'B']);
});

test('a GPU that an older version found is known to later probes as well', async () => {
  const facts = JSON.stringify({ cores: 8, memoryMb: 8192, gpus: ['A', 'B'].map(gpuOf) });
  await bench.db.execute(sql`update hosts set facts = ${facts}::jsonb`);
  await probe({ found: ['A'], gpusSeen: ['A', 'B'] });
  expect(await seen()).toEqual(['A', 'B']);
});

test('a probe under way while a fleet is applied forgets the missing GPUs', async () => {
  expect(await bench.store.host.applyFleet(fleet)).toMatchObject({ unchanged: ['box'] });
  await probe({ found: ['A', 'C'], gpusSeen: ['A', 'B', 'C'] });
  expect(await seen()).toEqual(['A', 'C']);
});
