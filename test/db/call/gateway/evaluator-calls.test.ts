import { expect, test } from 'vitest';
import { readBodies } from '../../../../db/call/gateway/read-bodies.ts';
import { readCalls } from '../../../../db/reads/read-trial.ts';
import { readCallsPage } from '../../../../db/reads/page/trial/read-calls-page.ts';
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
  const [own] = await readBodies(bench.db, { trialId, role: 'evaluator', rows: rows.slice(1) });
  expect(own).toMatchObject({ path: '/v1/chat/completions', answer: SECRET });
});
