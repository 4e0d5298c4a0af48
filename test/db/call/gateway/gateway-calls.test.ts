import { eq, sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { researches, trials } from '../../../../db/schema.ts';
import { NO_USAGE } from '../../../../domain/gateway/call.ts';
import { insertTrials, useDatabase } from '../../support.ts';
import { answered, chat, openLedger, rowsOf, turnOf } from './support.ts';

const bench = useDatabase();

const spentBy = async (id: string) => {
  const { tokens, usd } = (await bench.store.research.findResearch(id)) ?? {};
  return { tokens, usd: usd === undefined ? usd : Math.round(usd * 1e6) / 1e6 };
};

async function open(id: string, given: Parameters<typeof openLedger>[2] = {}) {
  await insertTrials(bench.db, id, 1);
  const trialId = `${id}/1`;
  return {
    trialId,
    ledger: openLedger(bench.store, trialId, given),
    another: () => openLedger(bench.store, trialId, given),
  };
}

describe('a call through the gateway', () => {
  test('is a row before it leaves, and has answer, tokens and cost after it', async () => {
    const { trialId, ledger } = await open('plain');
    expect(await ledger.begin(chat('a'))).toEqual({ turn: 0 });
    expect(await rowsOf(bench.db, trialId)).toMatchObject([
      { turn: 0, role: 'proposer', protocol: 'chat', model: 'm', answered: false, tokensIn: null, status: null },
    ]);
    await ledger.end(0, answered());
    expect(await rowsOf(bench.db, trialId)).toMatchObject([
      { answered: true, status: 200, tokensIn: 10, tokensOut: 5, tokensCached: 4, tokensReasoning: 2, usd: 0.15 },
    ]);
    expect(await spentBy('plain')).toEqual({ tokens: 15, usd: 0.15 });
  });

  test('is charged once, however often its end is reported', async () => {
    const { trialId, ledger } = await open('once');
    const turn = turnOf(await ledger.begin(chat('a')));
    await Promise.all([1, 2, 3].map(() => ledger.end(turn, answered())));
    await ledger.end(turn, answered({ cut: true }));
    await ledger.fail(turn, 'too late');
    expect(await rowsOf(bench.db, trialId)).toMatchObject([{ cut: false, error: null, failed: 0, repeated: 0 }]);
    expect(await spentBy('once')).toEqual({ tokens: 15, usd: 0.15 });
  });

  test('that fails again and again is refused once the limit of calls is reached', async () => {
    const { ledger } = await open('failing', { limits: { calls: 3 } });
    for (const status of [500, 429, 400, 502])
      await ledger.end(turnOf(await ledger.begin(chat('a'))), answered({ status, usage: NO_USAGE }));
    expect(await ledger.begin(chat('a'))).toEqual({
      refused: "the limit of this trial's model calls is spent: 3 requests failed",
    });
  });

  test('of an arm that was replaced is not sent again, and leaves its limits to the next arm', async () => {
    const { trialId, ledger, another } = await open('replaced', { limits: { calls: 2 } });
    await ledger.end(turnOf(await ledger.begin(chat('a'))), answered());
    await ledger.end(turnOf(await ledger.begin(chat('b'))), answered({ status: 503, usage: NO_USAGE }));
    await bench.db.update(trials).set({ firstTurn: 2 }).where(eq(trials.id, trialId));
    expect(await another().begin(chat('b'))).toEqual({ turn: 2 });
    expect(await rowsOf(bench.db, trialId)).toMatchObject([{ turn: 0 }, { turn: 1, failed: 1 }, { turn: 2 }]);
  });

  test('gets a turn of its own beside calls at the same time, equal ones included', async () => {
    const { trialId, ledger, another } = await open('parallel');
    const side = another();
    const begun = await Promise.all(
      ['a', 'a', 'b', 'c'].flatMap((text) => [ledger.begin(chat(text)), side.begin(chat(`${text} of another`))]),
    );
    expect(begun.map(turnOf).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect((await rowsOf(bench.db, trialId)).every(({ repeated }) => repeated === 0)).toBe(true);
  });

  test('that a dead worker sent as a stream is marked if it comes as a request of a whole answer', async () => {
    const { trialId, ledger, another } = await open('whole');
    const request = chat('a');
    const body = JSON.stringify({ ...(JSON.parse(request.body) as object), stream: true });
    await ledger.begin({ ...request, streams: true, body });
    expect(await another().begin(request)).toEqual({ turn: 0 });
    expect(await rowsOf(bench.db, trialId)).toMatchObject([{ repeated: 1 }]);
  });

  test('whose answer could not be stored uses its row again, as one that was bought twice', async () => {
    const { trialId } = await open('unstored');
    const endGatewayCall = () => Promise.reject(new Error('no database'));
    const ledger = openLedger({ ...bench.store, call: { ...bench.store.call, endGatewayCall } }, trialId);
    const turn = turnOf(await ledger.begin(chat('a')));
    await expect(ledger.end(turn, answered())).rejects.toThrow('no database');
    expect(turnOf(await ledger.begin(chat('a')))).toBe(turn);
    expect(await rowsOf(bench.db, trialId)).toMatchObject([{ repeated: 1, estimated: true, answered: false }]);
  });

  test('that a dead worker sent is marked if an equal request comes, and its input is charged once', async () => {
    const { trialId, ledger, another } = await open('lost');
    await ledger.begin(chat('a'));
    await ledger.begin(chat('b'));
    const next = another();
    const request = chat('b');
    expect(await next.begin(request)).toEqual({ turn: 1 });
    const lost = Math.ceil(request.body.length / 3);
    expect(await spentBy('lost')).toEqual({ tokens: lost, usd: lost / 100 });
    await next.end(1, answered());
    // The answer to the sending that was lost comes after all: its estimate was charged.
    await ledger.end(1, answered({ usage: { ...answered().usage, tokensIn: 999 } }));
    expect(await rowsOf(bench.db, trialId)).toMatchObject([
      { turn: 0, repeated: 0, answered: false },
      { turn: 1, repeated: 1, answered: true, tokensIn: 10 + lost, tokensOut: 5, estimated: true },
    ]);
    expect(await spentBy('lost')).toEqual({ tokens: lost + 15, usd: (lost + 15) / 100 });
    expect(await next.begin(request)).toEqual({ turn: 2 });
  });

  test('whose answer broke off is charged with what came, and its repetition is counted and charged, too', async () => {
    const { trialId, ledger } = await open('cut');
    const request = chat('a');
    const turn = turnOf(await ledger.begin(request));
    const none = { tokensIn: null, tokensOut: null, tokensCached: null, tokensReasoning: null, estimated: false };
    await ledger.end(turn, answered({ body: 'x'.repeat(30), usage: none, cut: true }));
    const first = Math.ceil(request.body.length / 3) + 10;
    expect(await rowsOf(bench.db, trialId)).toMatchObject([{ cut: true, answered: true, estimated: true }]);
    expect(await spentBy('cut')).toEqual({ tokens: first, usd: first / 100 });
    expect(await ledger.begin(request)).toEqual({ turn });
    await ledger.end(turn, answered());
    expect(await rowsOf(bench.db, trialId)).toMatchObject([{ cut: false, repeated: 1, tokensOut: 15 }]);
    expect(await spentBy('cut')).toEqual({ tokens: first + 15, usd: (first + 15) / 100 });
  });

  test('without a report of its tokens is charged with an estimate of its text alone', async () => {
    const { trialId, ledger } = await open('silent');
    const chunk = (content: string) =>
      `data: ${JSON.stringify({ id: 'x'.repeat(200), choices: [{ delta: { content } }] })}\n\n`;
    const usage = { tokensIn: 7, tokensOut: null, tokensCached: null, tokensReasoning: null, estimated: false };
    const turn = turnOf(await ledger.begin(chat('a')));
    await ledger.end(turn, answered({ body: chunk('abc') + chunk('def'), usage }));
    expect(await rowsOf(bench.db, trialId)).toMatchObject([{ tokensIn: 7, tokensOut: 2, estimated: true }]);
  });

  test('that failed costs nothing, and its repetition uses its row', async () => {
    const { trialId, ledger } = await open('failed');
    const turn = turnOf(await ledger.begin(chat('a')));
    await ledger.fail(turn, 'connection refused\0');
    await ledger.fail(turn, 'again');
    expect(await rowsOf(bench.db, trialId)).toMatchObject([{ error: 'connection refused\uFFFD', failed: 1 }]);
    const none = { tokensIn: null, tokensOut: null, tokensCached: null, tokensReasoning: null, estimated: false };
    expect(await ledger.begin(chat('a'))).toEqual({ turn });
    await ledger.end(turn, answered({ status: 429, body: 'slow down', usage: none }));
    expect(await rowsOf(bench.db, trialId)).toMatchObject([
      {
        error: 'the endpoint answered 429: slow down',
        status: 429,
        failed: 2,
        limited: 1,
        repeated: 0,
        tokensIn: null,
      },
    ]);
    expect(await ledger.begin(chat('a'))).toEqual({ turn });
    await ledger.end(turn, answered());
    expect(await rowsOf(bench.db, trialId)).toMatchObject([{ error: null, status: 200, failed: 2, answered: true }]);
    expect(await spentBy('failed')).toEqual({ tokens: 15, usd: 0.15 });
  });

  test('without a price is charged in tokens alone', async () => {
    const { trialId, ledger } = await open('unpriced', { isPriced: false });
    await ledger.end(turnOf(await ledger.begin({ ...chat('a'), model: null })), answered());
    expect(await rowsOf(bench.db, trialId)).toMatchObject([{ usd: null, model: 'no model named' }]);
    expect(await spentBy('unpriced')).toEqual({ tokens: 15, usd: 0 });
  });
});

describe('calls at the same time', () => {
  const begin = (ledger: ReturnType<typeof openLedger>, count: number) =>
    Array.from({ length: count }, (_, index) => ledger.begin(chat(`question ${index}`)));

  test.each([
    ['proposer', 4],
    ['evaluator', 16],
  ] as const)('wait if tokens are limited: a %s has at most %i under way', async (role, most) => {
    const { trialId, ledger } = await open(`wide-${role}`, { role, limits: { tokens: 1000 } });
    const begun = begin(ledger, most + 2);
    const turns = (await Promise.all(begun.slice(0, most))).map(turnOf);
    const left = new AbortController();
    const last = ledger.begin(chat('of a caller that left'), left.signal);
    left.abort();
    await ledger.end(turns[0]!, answered());
    expect(turnOf(await begun[most]!)).toBe(most);
    expect(await rowsOf(bench.db, trialId)).toHaveLength(most + 1);
    await ledger.fail(turns[1]!, 'connection refused');
    expect(turnOf(await begun[most + 1]!)).toBe(most + 1);
    await expect(last).rejects.toThrow('abort');
    expect(await rowsOf(bench.db, trialId)).toHaveLength(most + 2);
  });

  test('that waited are refused once those before them spent the limit', async () => {
    const { trialId, ledger } = await open('spent-meanwhile', { limits: { tokens: 15 } });
    const begun = begin(ledger, 12);
    for (const turn of (await Promise.all(begun.slice(0, 4))).map(turnOf)) await ledger.end(turn, answered());
    for (const one of await Promise.all(begun.slice(4))) expect(one).toHaveProperty('refused');
    expect(await rowsOf(bench.db, trialId)).toHaveLength(4);
  });

  test('do not wait without a limit of tokens or USD', async () => {
    const { ledger } = await open('unlimited', { limits: { calls: 99 } });
    expect(await Promise.all(begin(ledger, 20))).toHaveLength(20);
  });
});

describe('a call is refused', () => {
  test('once the limits of its caller in the trial are spent; other callers have limits of their own', async () => {
    const { trialId, ledger } = await open('limits', { limits: { calls: 2 } });
    for (const text of ['a', 'b']) await ledger.end(turnOf(await ledger.begin(chat(text))), answered());
    expect(await ledger.begin(chat('c'))).toEqual({ refused: expect.stringContaining('2 of 2 calls') as string });
    const evaluator = openLedger(bench.store, trialId, { role: 'evaluator', limits: { usd: 0.2 } });
    for (const text of ['a', 'b']) await evaluator.end(turnOf(await evaluator.begin(chat(text))), answered());
    expect(await evaluator.begin(chat('c'))).toEqual({ refused: expect.stringContaining('0.3 of 0.2 USD') as string });
    expect((await rowsOf(bench.db, trialId)).map(({ role }) => role)).toEqual([
      'proposer',
      'proposer',
      'evaluator',
      'evaluator',
    ]);
    expect(await spentBy('limits')).toEqual({ tokens: 60, usd: 0.6 });
  });

  test('if a budget of the research is spent, or cannot be charged for want of a price', async () => {
    const { trialId, ledger } = await open('budget');
    const set = (budget: object) =>
      bench.db
        .update(researches)
        .set({ budget: sql`${JSON.stringify({ counts: ['search'], whenSpent: 'stop', ...budget })}::jsonb` })
        .where(eq(researches.id, 'budget'));
    await set({ usd: 0.15 });
    const unpriced = openLedger(bench.store, trialId, { isPriced: false });
    expect(await unpriced.begin(chat('a'))).toEqual({
      refused: expect.stringContaining('budget.usd: expected a price for m') as string,
    });
    await ledger.end(turnOf(await ledger.begin(chat('a'))), answered());
    expect(await ledger.begin(chat('b'))).toEqual({
      refused: 'the budget of the research is spent: budget.usd is 0.15 of 0.15',
    });
    await set({ tokens: 16 });
    await ledger.end(turnOf(await ledger.begin(chat('b'))), answered());
    expect(await ledger.begin(chat('c'))).toMatchObject({
      refused: expect.stringContaining('budget.tokens is 30') as string,
    });
    expect(await rowsOf(bench.db, trialId)).toHaveLength(2);
  });

  test('if its trial has an outcome', async () => {
    const { trialId, ledger } = await open('ended');
    await bench.db.update(trials).set({ status: 'completed' }).where(eq(trials.id, trialId));
    expect(await ledger.begin(chat('a'))).toMatchObject({ refused: expect.stringContaining('outcome') as string });
    await expect(openLedger(bench.store, 'nobody/1').begin(chat('a'))).rejects.toThrow('Expected a trial nobody/1');
  });
});
