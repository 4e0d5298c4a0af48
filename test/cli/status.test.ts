import { afterAll, beforeAll, expect, it } from 'vitest';
import { trials } from '../../db/schema.ts';
import { runOn } from './support/cli.ts';
import { startServer, type Server } from './support/database.ts';
import { insertResearch, trialRow } from './support/lineage.ts';

let server: Server;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

it('says that nothing but failures comes, and why', async () => {
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
