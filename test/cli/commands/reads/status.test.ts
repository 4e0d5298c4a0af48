import { beforeAll, expect, it } from 'vitest';
import { slots, trials } from '../../../../db/schema.ts';
import { runOn } from '../../support/cli.ts';
import { sharedServer, type Server } from '../../support/database.ts';
import { BASELINE, insertResearch, TASK, trialRow } from '../../support/lineage.ts';

let server: Server;
beforeAll(() => {
  server = sharedServer();
});

it('reports a series of failures, with the newest reason', async () => {
  const failing = await server.open();
  await insertResearch(failing.db, 'failing');
  const why = 'the evaluator ended with 1: ModuleNotFoundError';
  const failed = { status: 'crashed' as const, failureMessage: why };
  for (const n of [1, 2, 3])
    await failing.db.insert(trials).values(trialRow('failing', n, { ...failed, endedAt: new Date(n * 1000) }));
  const { stdout } = await runOn(failing.url, ['status']);
  await failing.close();
  expect(stdout).toContain(`note: the last 3 trials failed, the newest: ${why}. See: npx perpetua show failing/3`);
});

it('distinguishes trials that a person stopped from those that could not win', async () => {
  const stopped = await server.open();
  await insertResearch(stopped.db, 'stopped');
  for (const [i, failure] of (['cannot-win', 'cannot-win', 'stopped-by-operator'] as const).entries())
    await stopped.db
      .insert(trials)
      .values(trialRow('stopped', i + 1, { status: 'aborted', failure, endedAt: new Date(i * 1000) }));
  const { stdout } = await runOn(stopped.url, ['status']);
  await stopped.close();
  expect(stdout).toContain('3 ended, 0 under way · 2 stopped early, 1 stopped by a person');
});

it('reports a research as waiting if its trials wait on their slots, and so does the list', async () => {
  const full = await server.open();
  const { db, url } = full;
  await insertResearch(db, 'full');
  const waitsFor = 'room on here: disk: 0 MiB';
  await db.insert(trials).values(trialRow('full', 1, { candidateId: BASELINE, readyAt: new Date(), waitsFor }));
  const slot = { id: 'local/0', pool: 'local', host: 'here', index: 0, fence: 1 };
  await db.insert(slots).values({ ...slot, state: 'leased', jobId: 'full/1' });
  const phase = { phase: 'waiting', reason: `1 trial waits for ${waitsFor}` };
  expect((await runOn(url, ['status', '--json'])).json()).toMatchObject([phase]);
  expect((await runOn(url, ['list', '--json'])).json()).toMatchObject([{ researches: [phase] }]);
  await full.close();
});

it('prints the whole command that raises a spent budget', async () => {
  const spent = await server.open();
  const budget = { ...TASK.budget, trials: 60, usd: 5 };
  await insertResearch(spent.db, 'spent', { phase: 'stopped', budget, usd: 5 });
  const { stdout } = await runOn(spent.url, ['status']);
  await spent.close();
  expect(stdout).toContain(
    'note: the budget is spent: usd. To continue with a larger budget: ' +
      'npx perpetua start toy --id spent --budget-usd 8',
  );
});
