import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { judgeCalls, openEvaluatorGateway, type SeenCalls } from '../../../activities/score/evaluator-calls.ts';
import type { Scored, ScoreContext } from '../../../activities/score/score-context.ts';
import type { CallLedger } from '../../../infra/gateway.ts';
import type { FailureLabel } from '../../../domain/trial.ts';
import { answered, chat } from '../../db/call/gateway/support.ts';

const SCORED: Scored = { ok: true, value: 1, metrics: { grade: 1 }, notes: 'fine' };
const failed = (label: FailureLabel): Scored => ({
  ok: false,
  status: 'crashed',
  failure: { label, message: 'it exited with 1' },
  notes: 'a log',
});
const CALM: SeenCalls = { refused: null, trouble: null, failed: null, hasCut: false, bought: 2 };

/** A worker that scores; `judge` takes the attempt of its activity. */
function useWorker({ researchId = 'toy', phase = 'running', serves = false } = {}) {
  const alerts: string[] = [];
  const asked: unknown[] = [];
  const deps = {
    store: {
      trial: { loadTrialAndResearch: () => Promise.resolve({ research: { phase } }) },
      call: {
        hasServedOthers: ({ model }: { model: string | null }) => {
          asked.push(model);
          return Promise.resolve(serves);
        },
      },
      research: { insertAlert: ({ message }: { message: string }) => Promise.resolve(void alerts.push(message)) },
    },
  };
  const jobId = `${researchId}/${Math.random()}`;
  const context = { deps, trial: { id: jobId, researchId }, run: { jobId, placement: 0 } } as unknown as ScoreContext;
  const judge = (seen: Partial<SeenCalls>, scored: Scored, attempt = 1): Promise<Scored> =>
    new MockActivityEnvironment({ attempt }).run(() => judgeCalls(context, { ...CALM, ...seen }, scored));
  return { judge, alerts, asked };
}

test('a score stands if no call was refused, whatever the endpoint did on the way', async () => {
  const { judge } = useWorker();
  expect(await judge({}, SCORED)).toBe(SCORED);
  expect(await judge({ trouble: 'the endpoint of its model answered 500', hasCut: true }, SCORED)).toBe(SCORED);
  expect(await judge({}, failed('evaluator-failed'))).toEqual(failed('evaluator-failed'));
});

test.each([[SCORED], [failed('evaluator-failed')], [failed('candidate-protocol')]])(
  'a refused call leaves no score, and its sentence is the outcome: %j',
  async (scored) => {
    const { judge } = useWorker();
    const refused = "the limit of this scoring's model calls is spent: 2 of 2 calls";
    expect(await judge({ refused }, scored)).toMatchObject({
      ok: false,
      status: 'crashed',
      failure: { label: 'call-limit', message: `the evaluator asked its model again: ${refused}` },
    });
  },
);

test.each([
  ['evaluator-failed', { trouble: 'the endpoint of its model cannot be reached' }],
  ['evaluator-timeout', { trouble: 'the endpoint of its model answered 429' }],
  ['evaluator-failed', { hasCut: true }],
  ['evaluator-failed', { refused: '3 of 3 calls', trouble: 'the endpoint of its model cannot be reached' }],
] as const)('an endpoint that failed the evaluator costs time, but no trial: %s %j', async (label, seen) => {
  const { judge, alerts } = useWorker();
  const again = { type: 'EndpointDown', nonRetryable: false };
  await expect(judge({ ...seen, bought: 0 }, failed(label))).rejects.toMatchObject(again);
  expect(alerts).toEqual([]);
  await expect(judge({ ...seen, bought: 0 }, failed(label), 3)).rejects.toMatchObject(again);
  expect(alerts).toHaveLength(1);
});

test.each([
  ['candidate-protocol', { trouble: 'the endpoint of its model answered 500' }],
  ['evaluator-timeout', { hasCut: true }],
] as const)('a failure that the endpoint did not cause stands: %s %j', async (label, seen) => {
  const { judge } = useWorker();
  expect(await judge(seen, failed(label))).toEqual(failed(label));
});

test('scorings that buy answers in vain end: the third failure stands, and says what the endpoint did', async () => {
  const { judge } = useWorker();
  const seen = { trouble: 'the endpoint of its model answered 500' };
  for (const attempt of [1, 2])
    await expect(judge(seen, failed('evaluator-failed'), attempt)).rejects.toMatchObject({ type: 'EndpointDown' });
  expect(await judge(seen, failed('evaluator-failed'), 3)).toMatchObject({
    failure: { label: 'evaluator-failed', message: 'it exited with 1 (the endpoint of its model answered 500)' },
  });
});

const failedWith = (status: number | null): Partial<SeenCalls> => ({
  trouble: `the endpoint of its model answered ${status}`,
  failed: { status, protocol: 'chat', model: 'grader' },
  bought: 0,
});

test.each([
  [403, 3, null],
  [451, 3, null],
  [404, 3, 'grader'],
  [500, 8, 'grader'],
] as const)(
  'a scoring that fails with %s stands after %i scorings if the endpoint answers others',
  async (status, most, model) => {
    const { judge, asked } = useWorker({ serves: true });
    const again = { type: 'EndpointDown' };
    for (let times = 1; times < most; times += 1)
      await expect(judge(failedWith(status), failed('evaluator-failed'))).rejects.toMatchObject(again);
    expect(asked).toEqual([]);
    const message = `it exited with 1 (the endpoint of its model answered ${status})`;
    expect(await judge(failedWith(status), failed('evaluator-failed'))).toMatchObject({ failure: { message } });
    expect(asked).toEqual([model]);
  },
);

test.each([
  [403, false],
  [500, false],
  [401, true],
  [429, true],
  [null, true],
])('an outage has no last scoring: %s, and others were answered: %s', async (status, serves) => {
  const { judge } = useWorker({ serves });
  for (let times = 1; times <= 12; times += 1)
    await expect(judge(failedWith(status), failed('evaluator-failed'))).rejects.toMatchObject({ type: 'EndpointDown' });
});

test.each([[{ researchId: 'check/toy/1' }], [{ phase: 'stopping' }]])(
  'a person who waits for the end gets the failure at once: %j',
  async (facts) => {
    const { judge } = useWorker(facts);
    const trouble = 'the endpoint of its model answered 404';
    expect(await judge({ trouble, bought: 0 }, failed('evaluator-failed'))).toMatchObject({
      failure: { message: `it exited with 1 (${trouble})` },
    });
  },
);

test('the calls of a scoring are those of an evaluator, within its limits, and their ends are noted', async () => {
  const begun: unknown[] = [];
  const served: { socket: string; ledger: CallLedger; role: string }[] = [];
  const deps = {
    models: { priceOf: () => null },
    store: {
      call: {
        beginGatewayCall: (call: { limits: object; role: string }) => {
          begun.push([call.role, call.limits]);
          if (begun.length > 3) return Promise.resolve({ refused: `spent ${begun.length}` });
          return Promise.resolve({ turn: begun.length, mark: 'm', scoring: 1 });
        },
        endGatewayCall: () => Promise.resolve(),
        failGatewayCall: () => Promise.resolve(),
      },
    },
    gateway: {
      relay: () => Promise.resolve('relay'),
      serveAt: (socket: string, caller: { ledger: CallLedger; role: string }) => served.push({ socket, ...caller }),
    },
  };
  const context = { deps, trial: { id: 'toy/1' } } as unknown as ScoreContext;
  const limits = { model: 'grader', calls: 3, tokens: 100, usd: 1 };
  const { gateway, seen } = await openEvaluatorGateway(context, limits);
  expect(gateway.env).toMatchObject({ PERPETUA_MODEL: 'grader', OPENAI_BASE_URL: 'http://127.0.0.1:8080/v1' });
  await gateway.serve('/a/socket');
  const { ledger, ...caller } = served[0]!;
  expect(caller).toEqual({ socket: '/a/socket', role: 'evaluator' });
  const ask = async () => {
    const one = await ledger.begin(chat('q'));
    return 'turn' in one ? one.turn : 0;
  };
  await ledger.end(await ask(), answered());
  await ledger.end(await ask(), answered({ status: 400 }));
  expect(seen).toEqual({ refused: null, trouble: null, failed: null, hasCut: false, bought: 1 });
  await ledger.end(await ask(), answered({ status: 503, body: 'quotes the prompt' }));
  expect(seen.trouble).toBe('the endpoint of its model answered 503');
  expect(seen.failed).toEqual({ status: 503, protocol: 'chat', model: 'm' });
  await ask();
  await ask();
  expect(seen.refused).toBe('spent 4');
  expect(begun[0]).toEqual(['evaluator', { calls: 3, tokens: 100, usd: 1 }]);
});
