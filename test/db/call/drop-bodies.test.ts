import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { countBodies } from '../../../db/call/drop-bodies.ts';
import { callParts } from '../../../db/schema.ts';
import { readCalls } from '../../../db/reads/read-trial.ts';
import { insertTrials, useDatabase } from '../support.ts';
import { answered, chat, openLedger, rowsOf, turnOf } from './gateway/support.ts';

const bench = useDatabase();

/** Inserts calls through the gateway and one of `llm`. `ended`: days since the end of the trial; null: it is open. */
async function insertCalls(trialId: string, ended: number | null): Promise<void> {
  for (const role of ['proposer', 'evaluator'] as const) {
    const ledger = openLedger(bench.store, trialId, { role });
    await ledger.end(turnOf(await ledger.begin(chat('x'.repeat(300)))), answered());
  }
  const sender = { workflowRun: 'run', attempt: 1 };
  const own = { trialId, turn: 2, model: 'm', request: { messages: [] } };
  const mark = (await bench.store.call.beginCall({ ...own, ...sender })) ?? '';
  const cost = { tokensIn: 3, tokensOut: 5, usd: 0.5, latencySeconds: 1 };
  await bench.store.call.saveAnswer({
    trialId,
    turn: 2,
    mark,
    answer: 'text',
    outcome: { finishReason: 'stop' },
    ...cost,
  });
  await bench.db.execute(sql`update calls set sent_at = now() - interval '40 days' where trial_id = ${trialId}`);
  if (ended !== null)
    await bench.db.execute(sql`
      update trials set status = 'completed', ended_at = now() - make_interval(days => ${ended})
      where id = ${trialId}`);
}

test('requests and answers of trials that ended long ago are removed, and all their counts stay', async () => {
  await insertTrials(bench.db, 'old', 3);
  await insertCalls('old/1', 31);
  await insertCalls('old/2', 29);
  await insertCalls('old/3', null);
  const before = await rowsOf(bench.db, 'old/1');
  expect(await countBodies(bench.db, { days: 30 })).toBe(3);
  expect(await bench.store.call.dropBodies({ days: 30 })).toBe(3);
  expect(await bench.store.call.dropBodies({ days: 30 })).toBe(0);
  expect(await countBodies(bench.db, { days: 30 })).toBe(0);
  expect(await rowsOf(bench.db, 'old/1')).toEqual(before);
  for (const row of await readCalls(bench.db, { trialId: 'old/1' }))
    expect(row).toMatchObject({ request: null, answer: null, removedAt: expect.any(Date) as Date });
  expect(await bench.db.$count(callParts, sql`trial_id = 'old/1'`)).toBe(0);
  for (const trialId of ['old/2', 'old/3']) {
    const [proposed, judged, own] = await readCalls(bench.db, { trialId });
    expect([proposed?.answer, judged?.removedAt, own?.answer]).toEqual([answered().body, null, 'text']);
  }
  // The rates of a research count its answers, removed ones included.
  const { rows } = await bench.db.execute(sql`select count(answered_at)::int as answers from calls`);
  expect(rows).toEqual([{ answers: 9 }]);
});
