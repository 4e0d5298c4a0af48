import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { trials } from '../../../../db/schema.ts';
import { useDatabase } from '../../../db/support.ts';
import { runOn } from '../../support/cli.ts';
import { insertStory } from '../../support/lineage.ts';

const bench = useDatabase();

test('best says what its runs take where that is not what those of the baseline take', async () => {
  await insertStory(bench.db, 'toy');
  expect((await runOn(bench.url, ['best'])).stdout).not.toContain('the compute');
  await bench.db.update(trials).set({ seconds: 9 }).where(eq(trials.n, 4));
  expect((await runOn(bench.url, ['best'])).stdout).toMatch(/^best .* gain .*, with 1\.8 × the compute/m);
  expect((await runOn(bench.url, ['best', '--json'])).json()).toMatchObject([
    { meanSeconds: { best: 9, baseline: 5 } },
  ]);
});
