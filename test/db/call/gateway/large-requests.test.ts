import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readCalls } from '../../../../db/reads/read-trial.ts';
import type { CallRequest } from '../../../../domain/gateway/call.ts';
import { insertTrials, useDatabase } from '../../support.ts';
import { answered, chat, openLedger, turnOf } from './support.ts';

const bench = useDatabase();

const requestOf = (body: object): CallRequest => ({
  protocol: 'chat',
  path: '/v1/chat/completions',
  model: 'm',
  streams: false,
  body: JSON.stringify(body),
});

test.each([2000, 30_000])('a request of %i small parts is one row, and is read as it was sent', async (count) => {
  await insertTrials(bench.db, `many${count}`, 1);
  const trialId = `many${count}/1`;
  const ledger = openLedger(bench.store, trialId);
  const body = { model: 'm', messages: Array.from({ length: count }, (_, n) => n) };
  const turn = turnOf(await ledger.begin(requestOf(body)));
  await ledger.end(turn, answered({ cut: true }));
  expect(await ledger.begin(requestOf(body))).toEqual({ turn });
  const { rows } = await bench.db.execute(sql`select n from call_parts where trial_id = ${trialId} order by n`);
  expect(rows).toEqual([{ n: -1 - turn }, { n: 0 }]);
  expect(await readCalls(bench.db, { trialId })).toMatchObject([{ request: body, repeated: 1 }]);
});

test('a large request is refused if those of its trial fill their share of the database', async () => {
  await insertTrials(bench.db, 'full', 1);
  const ledger = openLedger(bench.store, 'full/1');
  await ledger.end(turnOf(await ledger.begin(chat('a'))), answered());
  await bench.db.execute(sql`
    insert into call_parts (trial_id, role, n, hash, body)
    select 'full/1', 'proposer', 100 + n, n::text, decode(repeat('00', 32 * 1024 * 1024), 'hex')
    from generate_series(1, 8) as n`);
  expect(await ledger.begin(chat('x'.repeat(300_000)))).toEqual({
    refused: 'the requests of this trial are too large together: 268 MB of them are stored',
  });
  expect(await ledger.begin(chat('b'))).toEqual({ turn: 1 });
});

test('parts that are too large to be shown are named so, and the others are shown', async () => {
  await insertTrials(bench.db, 'bomb', 1);
  const trialId = 'bomb/1';
  const ledger = openLedger(bench.store, trialId);
  const large = 'a'.repeat(9 * 1024 * 1024);
  await ledger.end(turnOf(await ledger.begin(chat('a short message', large))), answered({ body: large }));
  const notShown = '(not shown: it is too large)';
  expect(await readCalls(bench.db, { trialId })).toMatchObject([
    { request: { messages: [{ content: 'a short message' }, notShown] }, answer: notShown },
  ]);
});
