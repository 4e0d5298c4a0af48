import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { calls, trials } from '../../../db/schema.ts';
import { insertReadyTrial, insertTrials, useDatabase } from '../support.ts';

const bench = useDatabase();
const key = { trialId: 'calls/1', turn: 0 };
const sender = { workflowRun: 'run', attempt: 1 };
const request = { ...key, ...sender, model: 'm', request: { messages: [] } };
const answer = (text: string) => ({
  ...key,
  answer: text,
  outcome: { finish: 'stop' },
  tokensIn: 3,
  tokensOut: 5,
  usd: null,
  latencySeconds: 0.5,
});

const send = async (turn: { trialId: string; turn: number }) =>
  (await bench.store.call.beginCall({ ...request, ...turn })) ?? '';

beforeAll(async () => void (await insertReadyTrial(bench.db, 'calls')));

describe('a call', () => {
  test('that was never answered counts as repeated when it is sent again', async () => {
    await bench.store.call.beginCall(request);
    expect(await bench.store.call.findCall(key)).toMatchObject({ repeated: 0, answer: null });
    await bench.store.call.beginCall(request);
    await bench.store.call.beginCall(request);
    expect(await bench.store.call.findCall(key)).toMatchObject({ repeated: 2, answer: null });
  });

  test('that a later attempt repeats has the request of that attempt, and its count of ended trials', async () => {
    const trialId = 'later/1';
    await insertTrials(bench.db, 'later', 3);
    const known = async () => (await bench.store.trial.loadTrial(trialId)).contextEnded;
    const begin = (model: string, content: string) =>
      bench.store.call.beginCall({
        ...sender,
        trialId,
        turn: 0,
        model,
        request: { messages: [{ role: 'user', content }] },
      });
    const first = await begin('old', 'first');
    expect(await known()).toBe(0);
    await bench.db.update(trials).set({ status: 'completed' }).where(eq(trials.id, 'later/2'));
    const second = (await begin('new', 'second')) ?? '';
    const stored = { model: 'new', request: { messages: [{ role: 'user', content: 'second' }] } };
    expect(await bench.store.call.findCall({ trialId, turn: 0 })).toMatchObject(stored);
    expect(await known()).toBe(1);
    // An answer belongs to its request: an attempt that slept meanwhile has no answer to this one.
    expect(await bench.store.call.saveAnswer({ ...answer('to the first'), trialId, mark: first ?? '' })).toBe(false);
    await bench.store.call.saveCallError({ trialId, turn: 0, mark: first ?? '', error: 'too late' });
    expect(await bench.store.call.findCall({ trialId, turn: 0 })).toMatchObject({
      ...stored,
      answer: null,
      error: null,
    });
    expect(await bench.store.call.saveAnswer({ ...answer('a'), trialId, mark: second })).toBe(true);
    await bench.db.update(trials).set({ status: 'completed' }).where(eq(trials.id, 'later/3'));
    expect(await begin('newer', 'third')).toBeNull();
    expect(await bench.store.call.findCall({ trialId, turn: 0 })).toMatchObject(stored);
    expect(await known()).toBe(1);
  });

  test('of a later attempt is safe from an earlier attempt that slept, but not from another run', async () => {
    await insertTrials(bench.db, 'sender', 1);
    const turn = { ...request, trialId: 'sender/1' };
    const living = (await bench.store.call.beginCall({ ...turn, attempt: 2 })) ?? '';
    expect(await bench.store.call.beginCall({ ...turn, attempt: 1 })).toBeNull();
    expect(await bench.store.call.findCall(turn)).toMatchObject({ attempt: 2, repeated: 0 });
    const again = await bench.store.call.beginCall({ ...turn, workflowRun: 'next run', attempt: 1 });
    expect(again).not.toBeNull();
    expect(again).not.toBe(living);
    expect(await bench.store.call.beginCall({ ...turn, workflowRun: 'next run', attempt: 2 })).not.toBeNull();
  });

  test('never takes the turn of a call through the gateway', async () => {
    await insertTrials(bench.db, 'agent', 1);
    const turn = { trialId: 'agent/1', turn: 0 };
    await bench.db.insert(calls).values({ ...turn, protocol: 'chat', model: 'of the agent', requestPart: 0, usd: 1 });
    const stored = await bench.store.call.findCall(turn);
    expect(await bench.store.call.beginCall({ ...request, ...turn })).toBeNull();
    expect(await bench.store.call.findCall(turn)).toEqual(stored);
  });

  test('is paid for even if its answer comes after it was sent again, or after another answer', async () => {
    await insertTrials(bench.db, 'late', 1);
    const turn = { trialId: 'late/1', turn: 0 };
    const [first, second, third] = [await send(turn), await send(turn), await send(turn)];
    const save = (mark: string) => bench.store.call.saveAnswer({ ...answer('a'), ...turn, usd: 0.25, mark });
    expect(await save(first)).toBe(false);
    expect(await bench.store.research.findResearch('late')).toMatchObject({ tokens: 8, usd: 0.25 });
    expect(await save(third)).toBe(true);
    expect(await save(second)).toBe(false);
    expect(await bench.store.research.findResearch('late')).toMatchObject({ tokens: 24, usd: 0.75 });
    expect(await bench.store.call.findCall(turn)).toMatchObject({ answer: 'a', tokensIn: 3, usd: 0.25 });
  });

  test('that ended in an error counts as answered, so that sending it again is no repetition', async () => {
    const second = { ...key, turn: 1 };
    const mark = await send(second);
    await bench.store.call.saveCallError({ ...second, mark, error: '503' });
    await bench.store.call.beginCall({ ...request, ...second });
    expect(await bench.store.call.findCall(second)).toMatchObject({ repeated: 0, error: null });
  });

  test('keeps its first answer', async () => {
    const mark = await send(key);
    await bench.store.call.saveAnswer({ ...answer('first'), mark });
    const stored = await bench.store.call.findCall(key);
    expect(stored).toMatchObject({ answer: 'first', repeated: 3, tokensIn: 3 });
    await bench.store.call.saveAnswer({ ...answer('second'), mark });
    await bench.store.call.saveCallError({ ...key, mark, error: 'too late' });
    await bench.store.call.beginCall(request);
    expect(await bench.store.call.findCall(key)).toEqual(stored);
  });

  test('adds to the spend of its research exactly once, however many answers come at once', async () => {
    await insertTrials(bench.db, 'costs', 4);
    const stores = Array.from({ length: 6 }, () => bench.another());
    const turns = [1, 2, 3, 4].map((n) => ({ trialId: `costs/${n}`, turn: 0 }));
    const sent = await Promise.all(turns.map(async (turn) => ({ ...turn, mark: await send(turn) })));
    await Promise.all(
      sent.flatMap((turn) => stores.map((store) => store.call.saveAnswer({ ...answer('a'), ...turn, usd: 0.25 }))),
    );
    expect(await bench.store.research.findResearch('costs')).toMatchObject({ tokens: 32, usd: 1 });
    const unpriced = { trialId: 'costs/1', turn: 1 };
    await bench.store.call.saveAnswer({ ...answer('b'), ...unpriced, mark: await send(unpriced), tokensIn: null });
    expect(await bench.store.research.findResearch('costs')).toMatchObject({ tokens: 37, usd: 1 });
  });

  test('records the latest reason of its endpoint, and an event only if the endpoint goes or comes', async () => {
    const record = (down: string | null) => bench.store.call.recordEndpoint({ researchId: 'calls', down });
    const steps = ['refused', 'refused', 'rejected the key', null, null];
    const flipped = [];
    for (const step of steps) {
      flipped.push(await record(step));
      expect(await bench.store.research.findResearch('calls')).toMatchObject({ endpointDown: step });
    }
    expect(flipped).toEqual([true, false, false, true, false]);
  });
});
