import { expect, test } from 'vitest';
import { withGateway } from '../../../activities/monitor/with-gateway.ts';
import type { FollowContext } from '../../../activities/monitor/follow-run.ts';
import type { CallLedger } from '../../../infra/gateway.ts';

const agent = { trialId: 'toy/1', limits: { calls: 1, tokens: null, usd: null } };
const REQUEST = { protocol: 'chat', path: '/v1/chat/completions', model: 'm', streams: false, body: '{}' } as const;

test('a request with which the gateway waits is under way, and each call moves the time of the last one', async () => {
  let active = 0;
  const served: CallLedger[] = [];
  const done: string[] = [];
  const deps = {
    models: { priceOf: () => null },
    store: { call: { beginGatewayCall: () => Promise.resolve({ refused: 'spent' }) } },
    gateway: {
      serve: (_: unknown, ledger: CallLedger) => {
        served.push(ledger);
        return Promise.resolve({ active: () => active, close: () => Promise.resolve(void done.push('closed')) });
      },
    },
  };
  const context = { deps, key: { jobId: 'a', placement: 0 }, run: { spec: { shape: 'to-an-end', agent } } };
  await withGateway(context as unknown as FollowContext, async (calls) => {
    expect([calls?.underWay, calls?.lastAt]).toEqual([0, 0]);
    active = 1;
    expect(calls?.underWay).toBe(1);
    expect(await served[0]!.begin(REQUEST)).toEqual({ refused: 'spent' });
    expect(calls?.lastAt).toBeGreaterThan(0);
    done.push('followed');
  });
  expect(done).toEqual(['followed', 'closed']);
});

test('the first answer of a run that is no error reports that the endpoint is up, and its arm, once', async () => {
  const reported: unknown[] = [];
  const note = (value: unknown) => Promise.resolve(void reported.push(value));
  let turn = 0;
  const call = {
    beginGatewayCall: () => Promise.resolve({ turn: turn++, mark: 'm' }),
    endGatewayCall: () => Promise.resolve(),
    failGatewayCall: () => Promise.resolve(),
    recordEndpoint: note,
  };
  const trial = { loadTrial: () => Promise.resolve({ researchId: 'toy', arm: 'command' }) };
  const usage = { tokensIn: 1, tokensOut: 1, tokensCached: null, tokensReasoning: null, estimated: false };
  const answer = { body: '', usage, latencySeconds: 1, cut: false };
  const serve = async (_: unknown, ledger: CallLedger) => {
    for (const status of [503, 200, 200]) {
      const begun = await ledger.begin(REQUEST);
      await ledger.end('turn' in begun ? begun.turn : -1, { ...answer, status });
      reported.push(status);
    }
    return { active: () => 0, close: () => Promise.resolve() };
  };
  const store = { call, trial, research: { markArmUp: note } };
  const deps = { models: { priceOf: () => null }, store, gateway: { serve } };
  const context = { deps, key: { jobId: 'a', placement: 0 }, run: { spec: { shape: 'to-an-end', agent } } };
  await withGateway(context as unknown as FollowContext, () => Promise.resolve());
  const ups = [
    { researchId: 'toy', down: null },
    { researchId: 'toy', key: 'command' },
  ];
  expect(reported).toEqual([503, ...ups, 200, 200]);
});
