import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { seedResearch } from '../../../../../bench/support/seed/seed-research.ts';
import { Calls } from '../../../../../dashboard/api/trials/trial.ts';
import { readCallsPage } from '../../../../../db/reads/page/trial/read-calls-page.ts';
import { createStore } from '../../../../../db/store.ts';
import { answered, chat, openLedger, turnOf } from '../../../call/gateway/support.ts';
import { useReader } from '../support.ts';

const bench = useReader((db) => seedResearch(db, { id: 'toy', trials: 60 }));

const callsOf = (trialId: string) => readCallsPage(bench.reader, { trialId });

async function talk(trialId: string, turns: { request: unknown; answer: string | null }[]): Promise<void> {
  await bench.db.execute(sql`delete from calls where trial_id = ${trialId}`);
  for (const [turn, { request, answer }] of turns.entries())
    await bench.db.execute(sql`
      insert into calls (trial_id, turn, model, request, answer, latency_seconds)
      values (${trialId}, ${turn}, 'm', ${JSON.stringify(request)}::jsonb, ${answer}, 1.5)`);
}

const SYSTEM = { role: 'system', content: 'be brief' };
const USER = { role: 'user', content: 'propose' };

test('a call has its messages with their roles, its answer and its cost', async () => {
  const { rows } = await bench.db.execute<{ id: string; usd: number }>(sql`
    select trial_id as id, usd from calls where usd is not null and turn = 0 order by trial_id limit 1`);
  const read = await callsOf(rows[0]?.id ?? '');
  expect(read?.calls[0]).toMatchObject({ turn: 0, before: 0, usd: rows[0]?.usd, tools: [], error: null });
  expect(read?.calls[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(read?.calls[0]?.answer).toContain('hypothesis:');
  expect(Calls.parse(read)).toEqual(read);
});

test('a later turn has only its new messages', async () => {
  await talk('toy/20', [
    { request: { messages: [SYSTEM, USER] }, answer: 'no json' },
    { request: { messages: [SYSTEM, USER, { role: 'assistant', content: 'no json' }, USER] }, answer: 'done' },
  ]);
  const read = await callsOf('toy/20');
  expect(read?.calls).toMatchObject([
    { turn: 0, before: 0, messages: [{ role: 'system' }, { role: 'user' }] },
    { turn: 1, before: 3, messages: [{ role: 'user', text: 'propose' }], tools: [], answer: 'done' },
  ]);
  expect(Calls.parse(read)).toEqual(read);
});

test("a call through the gateway has tool calls with their results; an evaluator's has facts alone", async () => {
  await bench.db.execute(sql`delete from calls where trial_id = 'toy/22'`);
  await bench.db.execute(sql`update trials set status = null where id = 'toy/22'`);
  const store = createStore(bench.db);
  const ledger = openLedger(store, 'toy/22');
  const asked = {
    role: 'assistant',
    content: 'I look first',
    tool_calls: [{ id: '1', type: 'function', function: { name: 'read', arguments: '{"path":"train.py"}' } }],
  };
  const bodyOf = (...messages: unknown[]) => ({ ...chat(), body: JSON.stringify({ messages }) });
  const body = JSON.stringify({ choices: [{ message: asked }] });
  await ledger.end(turnOf(await ledger.begin(bodyOf(SYSTEM, USER))), answered({ body }));
  const result = { role: 'tool', tool_call_id: '1', content: 'LR = 1' };
  await ledger.end(turnOf(await ledger.begin(bodyOf(SYSTEM, USER, asked, result))), answered({ cut: true }));
  const evaluator = openLedger(store, 'toy/22', { role: 'evaluator' });
  await evaluator.end(turnOf(await evaluator.begin(chat('held out'))), answered());
  const read = await callsOf('toy/22');
  expect(read?.calls).toMatchObject([
    { answer: 'I look first', tools: [{ name: 'read', input: 'train.py', output: 'LR = 1' }], tokensCached: 4 },
    { before: 3, messages: [], answer: 'ok', marks: ['answer broke off'], status: 200 },
    { role: 'evaluator', bodies: 'withheld', messages: [], answer: null, tokensIn: 10 },
  ]);
  expect(Calls.parse(read)).toEqual(read);
});

test('a call without an answer has none', async () => {
  await talk('toy/21', [{ request: { messages: [USER] }, answer: null }]);
  expect((await callsOf('toy/21'))?.calls).toMatchObject([{ answer: null, tokensIn: null, seconds: 1.5 }]);
});

test('a trial without a model has no calls, an unknown trial has no page', async () => {
  expect(await callsOf('toy/1')).toEqual({ calls: [] });
  expect(await callsOf('toy/100000')).toBeUndefined();
});
