import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { researches, trials } from '../../../../db/schema.ts';
import { useDatabase } from '../../../db/support.ts';
import { runOn } from '../../support/cli.ts';
import { BASELINE, insertStory } from '../../support/lineage.ts';

const bench = useDatabase();

test('best names the compute of its runs if it differs from that of the baseline', async () => {
  await insertStory(bench.db, 'toy');
  expect((await runOn(bench.url, ['best'])).stdout).not.toContain('the compute');
  await bench.db.update(trials).set({ seconds: 9 }).where(eq(trials.n, 4));
  expect((await runOn(bench.url, ['best'])).stdout).toMatch(/^best .* gain .*, with 1\.8 × the compute/m);
  expect((await runOn(bench.url, ['best', '--json'])).json()).toMatchObject([
    { meanSeconds: { best: 9, baseline: 5 } },
  ]);
});

test('best --lead writes the files of the lead, and says that the lead is no claim', async () => {
  await insertStory(bench.db, 'led');
  const same = await runOn(bench.url, ['best', 'led', '--lead']);
  expect(same.stderr).toBe('note: the lead of led is its best\n');
  expect(same.stdout).not.toContain('no claim');

  await bench.db.update(researches).set({ gate: sql`jsonb_set(gate, '{leadId}', to_jsonb(${BASELINE}::text))` });
  const out = join(await mkdtemp(join(tmpdir(), 'perpetua-lead-')), 'lead');
  const lead = await runOn(bench.url, ['best', 'led', '--lead', '--out', out]);
  expect(lead.stdout).toMatch(/^This is the lead: where the search stands\. It is no claim yet\.\n/);
  expect(lead.stdout).toMatch(new RegExp(`candidate +${BASELINE}`));
  expect(await readFile(join(out, 'train.mjs'), 'utf8')).toBe('const LR = 0.1;\n');
  const [json] = (await runOn(bench.url, ['best', 'led', '--lead', '--json'])).json();
  expect(json).toMatchObject({ candidateId: BASELINE, claimed: false, gain: null });
  expect((await runOn(bench.url, ['best', 'led', '--json'])).json()).toMatchObject([
    { trialId: 'led/4', claimed: true },
  ]);
});
