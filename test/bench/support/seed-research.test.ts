import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../bench/support/seed/seed-research.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import { readStatus } from '../../../db/reads/read-status.ts';
import { readRunning } from '../../../db/reads/status/read-running.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();
const NOW = new Date('2026-11-20T12:00:00Z');

async function statusOf(researchId: string) {
  const research = await readResearch(bench.db, { researchId });
  if (!research) throw new Error('expected the research');
  return readStatus(bench.db, { research });
}

test('a seeded research is read like a real one', async () => {
  const { story } = await seedResearch(bench.db, { id: 'seeded', trials: 400, now: NOW });
  const status = await statusOf('seeded');
  expect(status.trials).toMatchObject({ ended: 400, running: 10, started: 410 });
  expect(status.best?.candidateId).toBe(story.gate.incumbentId);
  expect(story.claims.length).toBeGreaterThan(2);
  expect(status.best?.value).toBeLessThan(2.8);
  expect(status.slots).toEqual({ total: 8, leased: 8 });
  expect(status.earlyAbort?.stopped).toBeGreaterThan(0);
  expect(status.spend.usd).toBeGreaterThan(0);
  const stages = (await readRunning(bench.db, { researchId: 'seeded' })).map(({ stage }) => stage);
  expect(stages.filter((stage) => stage === 'running')).toHaveLength(8);
});

test('the same options make the same rows, on separate hosts', async () => {
  const hashOf = async (id: string): Promise<unknown> => {
    await seedResearch(bench.db, { id, trials: 120, hostile: true, now: NOW });
    const { rows } = await bench.db.execute(sql`
      select md5(
        string_agg(concat_ws('|', n, kind, status, value, verdict, candidate_id, ended_at), ' ' order by n)
      ) as hash
      from trials where research_id = ${id}`);
    return rows[0];
  };
  expect(await hashOf('one')).toEqual(await hashOf('two'));
});

test('a seeded research that learns has versions, each made from an ended batch', async () => {
  await seedResearch(bench.db, { id: 'learns', trials: 200, learns: true, trouble: true, now: NOW });
  const { learning, phase } = await statusOf('learns');
  expect(learning?.version).toBeGreaterThan(5);
  expect(learning?.halted).toContain('entropy');
  expect(phase).toBe('waiting');
});
