import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStore } from '../../../../db/store.ts';
import { calls, trials } from '../../../../db/schema.ts';
import { answered, chat, openLedger, turnOf } from '../../../db/call/gateway/support.ts';
import { runOn } from '../../support/cli.ts';
import { sharedServer, type Lineage } from '../../support/database.ts';
import { insertStory } from '../../support/lineage.ts';

let story: Lineage;
const run = (...argv: string[]) => runOn(story.url, ['calls', ...argv]);
const SYSTEM = { role: 'system', content: 'be brief' };
const USER = { role: 'user', content: `edit it\x1b[31m ${'x'.repeat(5000)}` };
const ASKED = {
  role: 'assistant',
  content: 'I look first',
  tool_calls: [{ id: '1', type: 'function', function: { name: 'bash', arguments: '{"command":"cat train.py"}' } }],
};

beforeAll(async () => {
  story = await sharedServer().open();
  await insertStory(story.db, 'toy');
  const trialId = 'toy/6';
  await story.db.update(trials).set({ status: null }).where(eq(trials.id, trialId));
  const store = createStore(story.db);
  const ledger = openLedger(store, trialId);
  const bodyOf = (...messages: unknown[]) => ({ ...chat(), body: JSON.stringify({ messages }) });
  const body = JSON.stringify({ choices: [{ message: ASKED }] });
  await ledger.end(turnOf(await ledger.begin(bodyOf(SYSTEM, USER))), answered({ body }));
  const result = { role: 'tool', tool_call_id: '1', content: 'LR = 1' };
  const second = bodyOf(SYSTEM, USER, ASKED, result);
  await ledger.end(turnOf(await ledger.begin(second)), answered({ cut: true }));
  await ledger.end(turnOf(await ledger.begin(second)), answered());
  const evaluator = openLedger(store, trialId, { role: 'evaluator' });
  await evaluator.end(turnOf(await evaluator.begin(chat('held out'))), answered());
  await story.db.insert(calls).values({
    trialId: 'toy/4',
    turn: 0,
    model: 'm',
    request: { messages: [{ role: 'user', content: 'what next?' }] },
    answer: 'half the rate',
    tokensIn: 100,
    tokensOut: 20,
    usd: 0.25,
    latencySeconds: 2,
    answeredAt: new Date(),
  });
});

afterAll(() => story.close());

test('a conversation is printed with the new messages of each call, its marks and its cost', async () => {
  const { stdout, code } = await run('toy/6');
  expect(code).toBe(0);
  expect(stdout.replace(/x{100,}/, 'xxx')).toBe(`toy/6 · 3 calls · 60 tokens · $0.60

call 0 · m · 10 tokens in (4 cached) · 5 out (2 reasoning) · $0.15 · 0.5 s
[system]
  be brief
[user]
  edit it xxx
  … (2013 characters more; --full shows them)
[answer]
  I look first
  → bash: cat train.py

call 1 · m · 20 tokens in (8 cached) · 10 out (4 reasoning) · $0.30 · 0.5 s · sent again once
  (3 messages of earlier calls)
[tool]
  ← LR = 1
[answer]
  ok

call 2 · evaluator · m · 10 tokens in (4 cached) · 5 out (2 reasoning) · $0.15 · 0.5 s
  (asked by the evaluator: its texts are shown by npx perpetua calls TRIAL --evaluator)
`);
  expect((await run('toy/6', '--full')).stdout).toContain('x'.repeat(5000));
});

test('the conversation of a proposer of Perpetua is printed, too', async () => {
  expect((await run('toy/4')).stdout).toBe(`toy/4 · 1 call · 120 tokens · $0.25

call 0 · m · 100 tokens in · 20 out · $0.25 · 2.0 s
[user]
  what next?
[answer]
  half the rate
`);
  expect((await run('toy/2')).stdout).toBe('no model was called for toy/2\n');
});

test('the texts of an evaluator are printed on request alone, by this command alone', async () => {
  expect((await run('toy/6', '--json')).stdout).not.toContain('held out');
  // Coding agents read a trial by this command.
  const [shown] = (await runOn(story.url, ['show', 'toy/6', '--json', '--prompt'])).json() as [{ calls: object[] }];
  expect(shown.calls).toMatchObject([{ role: 'proposer' }, { role: 'proposer' }]);
  expect(JSON.stringify(shown)).not.toContain('held out');
  const { stdout } = await run('toy/6', '--evaluator');
  expect(stdout).toContain('held out');
  expect(stdout).toContain('toy/6 · 1 call · ');
});

test('as JSON, each call has its new messages and its facts', async () => {
  const [read] = (await run('toy/6', '--json')).json();
  expect(read).toMatchObject({
    trialId: 'toy/6',
    calls: [
      { turn: 0, before: 0, protocol: 'chat', tools: [{ name: 'bash', output: 'LR = 1' }], cut: false },
      { turn: 1, before: 3, messages: [{ role: 'tool' }], answer: { text: 'ok' }, repeated: 1, usd: 0.3 },
      { turn: 2, role: 'evaluator', scoring: 1, bodies: 'withheld', messages: [], answer: null },
    ],
  });
});
