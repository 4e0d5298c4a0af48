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
