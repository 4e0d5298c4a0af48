import { expect, test } from 'vitest';
import { researches } from '../../../../../db/schema.ts';
import { insertEnded } from '../../../../support/database/insert-ended.ts';
import { useDatabase } from '../../../../db/support.ts';
import { runOn } from '../../../support/cli.ts';
import { insertResearch, storeTrials, trialRow } from '../../../support/lineage.ts';

const bench = useDatabase();

test('show names the arm of a mixture that has a parent rule of its own', async () => {
  await insertResearch(bench.db, 'mixed', {});
  const arm = 'random from best';
  await insertEnded(bench.db, ['mixed', 1], { proposer: 'random', arm, armReward: 0.5 });
  await insertEnded(bench.db, ['mixed', 2], { proposer: 'random', arm: 'random' });
  expect((await runOn(bench.url, ['show', 'mixed/1'])).stdout).toMatch(/^ +arm +random from best$/m);
  expect((await runOn(bench.url, ['show', 'mixed/2'])).stdout).not.toMatch(/^ +arm /m);
  const [shown] = (await runOn(bench.url, ['show', 'mixed/1', '--json'])).json();
  expect(shown).toMatchObject({ arm, armReward: 0.5 });
});

test('show names the optimizer that a trial without a proposal waits for', async () => {
  await insertResearch(bench.db, 'waits', {});
  await storeTrials(bench.db, trialRow('waits', 1, { proposer: 'cma-es' }));
  await bench.db.update(researches).set({ endpointDown: 'cma-es: the process of the optimizer ended' });
  const { stdout } = await runOn(bench.url, ['show', 'waits/1']);
  expect(stdout).toMatch(/^ *waits +for cma-es: the process of the optimizer ended$/m);
});
