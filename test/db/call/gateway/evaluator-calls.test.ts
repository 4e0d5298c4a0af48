import { expect, test } from 'vitest';
import { readBodies } from '../../../../db/call/gateway/read-bodies.ts';
import { readCalls, readEvaluatorCalls } from '../../../../db/reads/read-trial.ts';
import { readCallsPage, readCallTotals } from '../../../../db/reads/page/trial/read-calls-page.ts';
import { readTrialRates } from '../../../../db/reads/status/read-rates.ts';
import { readEvaluatorSpend } from '../../../../db/reads/trial/read-evaluator-spend.ts';
import { insertTrials, useDatabase } from '../../support.ts';
import { answered, chat, openLedger, turnOf } from './support.ts';

const bench = useDatabase();
const SECRET = 'the held-out question';

test("the text of an evaluator's calls is in no read of a proposer or a page", async () => {
  await insertTrials(bench.db, 'judged', 1);
  const trialId = 'judged/1';
  const proposer = openLedger(bench.store, trialId);
  const evaluator = openLedger(bench.store, trialId, { role: 'evaluator' });
  await proposer.end(turnOf(await proposer.begin(chat('a question'))), answered({ body: 'an answer' }));
  await evaluator.end(turnOf(await evaluator.begin(chat(SECRET))), answered({ body: SECRET }));
  expect(await bench.store.call.findCall({ trialId, turn: 0 })).toMatchObject({ role: 'proposer' });
  expect(await bench.store.call.findCall({ trialId, turn: 1 })).toBeUndefined();
  const rows = await readCalls(bench.db, { trialId });
  expect(rows).toMatchObject([
    { role: 'proposer', request: { messages: [{ content: 'a question' }] }, answer: 'an answer' },
    { role: 'evaluator', request: null, answer: null, tokensIn: 10, path: null },
  ]);
  expect(JSON.stringify([rows, await readCallsPage(bench.db, { trialId })])).not.toContain(SECRET);
  expect(await readTrialRates(bench.db, { trialId })).toMatchObject({ answers: 1 });
  expect(await readEvaluatorSpend(bench.db, { trialId })).toEqual({ calls: 1, tokens: 15, usd: 0.15 });
  const [own] = await readBodies(bench.db, { trialId, role: 'evaluator', rows: rows.slice(1) });
  expect(own).toMatchObject({ path: '/v1/chat/completions', answer: SECRET });
});

test('each scoring of a trial has limits of its own, and its rows have its number', async () => {
  await insertTrials(bench.db, 'again', 1);
  const trialId = 'again/1';
  const open = () => openLedger(bench.store, trialId, { role: 'evaluator', limits: { calls: 2 } });
  const refused = "the limit of this scoring's model calls is spent: 2 of 2 calls";
  const first = open();
  await first.end(turnOf(await first.begin(chat('a'))), answered());
  // Its answer is lost: the worker dies.
  turnOf(await first.begin(chat('b')));
  expect(await first.begin(chat('c'))).toEqual({ refused });
  const second = open();
  await second.end(turnOf(await second.begin(chat('a'))), answered());
  expect(await bench.db.execute(ROWS)).toMatchObject({
    rows: [
      { turn: 0, scoring: 1, repeated: 0, tokens: 15 },
      { turn: 1, scoring: 1, repeated: 0 },
      { turn: 2, scoring: 2, repeated: 0, tokens: 15 },
    ],
  });
  // The lost request is bought again in its row. The death of a worker takes no call from the next scoring.
  await second.end(turnOf(await second.begin(chat('b'))), answered());
  await second.end(turnOf(await second.begin(chat('c'))), answered());
  expect(await second.begin(chat('d'))).toEqual({ refused });
  const { rows } = await bench.db.execute<{ scoring: number; tokens: number }>(ROWS);
  expect(rows[1]).toMatchObject({ turn: 1, scoring: 1, repeated: 1 });
  // The calls of both scorings are charged to the research.
  const { rows: researches } = await bench.db.execute(`select tokens from researches where id = 'again'`);
  expect(researches).toEqual([{ tokens: rows.reduce((sum, { tokens }) => sum + tokens, 0) }]);
});

test("an endpoint's error of an evaluator's call, which may quote its prompt, is nowhere else", async () => {
  await insertTrials(bench.db, 'quoted', 1);
  const trialId = 'quoted/1';
  const evaluator = openLedger(bench.store, trialId, { role: 'evaluator' });
  const turn = turnOf(await evaluator.begin(chat('a')));
  await evaluator.end(turn, answered({ status: 400, body: `bad prompt: ${SECRET}` }));
  const rows = await readCalls(bench.db, { trialId });
  expect(rows).toMatchObject([{ error: 'the endpoint answered 400', status: 400, failed: 1 }]);
  expect(JSON.stringify([rows, await readCallsPage(bench.db, { trialId })])).not.toContain(SECRET);
  expect(await readEvaluatorCalls(bench.db, { trialId })).toMatchObject([{ error: expect.stringContaining(SECRET) }]);
  const { rows: stored } = await bench.db.execute(`select * from calls where trial_id = 'quoted/1'`);
  expect(JSON.stringify([stored, await readCallTotals(bench.db, { trialId })])).not.toContain(SECRET);
});

const ROWS = `select turn, scoring, repeated, coalesce(tokens_in, 0) + coalesce(tokens_out, 0) as tokens
  from calls where role = 'evaluator' and trial_id = 'again/1' order by turn`;

test('an endpoint served others if it answered a later call of another trial of the research in full', async () => {
  await insertTrials(bench.db, 'others', 2);
  await insertTrials(bench.db, 'elsewhere', 1);
  const served = (model: string | null, seconds = 60) =>
    bench.store.call.hasServedOthers({ trialId: 'others/1', protocol: 'chat', model, seconds });
  const answer = async (trialId: string, given = {}) => {
    const ledger = openLedger(bench.store, trialId, { role: 'evaluator' });
    await ledger.end(turnOf(await ledger.begin(chat(JSON.stringify(given)))), answered(given));
  };
  await answer('others/1');
  await answer('elsewhere/1');
  await answer('others/2', { status: 0, cut: true });
  await answer('others/2', { status: 500 });
  expect(await served(null)).toBe(false);
  await answer('others/2');
  expect([await served(null), await served('m'), await served('another'), await served(null, 0)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
