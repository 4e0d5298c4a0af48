import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Conversation } from '../../../infra/compute.ts';
import { relayConversation } from '../../../infra/evaluate/relay-conversation.ts';
import { watchReachability } from '../../../infra/evaluate/host-reachability.ts';
import type { EvaluatorProcess } from '../../../infra/evaluate/read-evaluator.ts';

const ROUND_SECONDS = 1;
/** Longest outage of the host, in ms, that two probes may miss. */
const LATER_MS = 800;
const STEP_MS = 20;

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Advances the time in small steps, and lets the streams work after each. */
async function pass(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += STEP_MS) {
    vi.advanceTimersByTime(STEP_MS);
    for (let turns = 0; turns < 5; turns++) await turn();
  }
}

const crossed = (evaluator: EvaluatorProcess, conversation: Conversation) =>
  relayConversation(evaluator, conversation, {
    limits: { roundSeconds: ROUND_SECONDS, lineBytes: 100, totalBytes: 100 },
    allowance: { reachability: watchReachability(conversation), most: 60_000 },
  });

it('does not blame a candidate for its silence while its answers were not read', async () => {
  let read = (): void => undefined;
  const stdin = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void (read = done) });
  const [stdout, output] = [new PassThrough(), new PassThrough()];
  const evaluator = { stdin, stdout, ended: new Promise(() => undefined) } as unknown as EvaluatorProcess;
  const conversation = {
    output,
    write: async () => undefined,
    end: () => undefined,
    ended: new Promise(() => undefined),
  } as unknown as Conversation;
  const crossing = crossed(evaluator, conversation);
  stdout.write('question\n');
  await turn();
  output.write('answer\n');
  await pass(ROUND_SECONDS * 1500);
  expect(crossing.overdue()).toBeUndefined();
  read();
  await turn();
  expect(crossing.overdue()).toBeUndefined();
  // The candidate has been silent since then, while the evaluator read.
  await pass(ROUND_SECONDS * 1000 + LATER_MS);
  expect(crossing.overdue()).toContain('expected a line within 1 s');
  crossing.close();
});

it.each([
  ['is reported at once if the host is reachable', async () => undefined, 'expected an answer within 1 s; none came'],
  [
    'is not reported if the answer is on its way when the round is over',
    async (answer: () => void, ms: number) => ms > ROUND_SECONDS * 1000 + LATER_MS - 100 && answer(),
    undefined,
  ],
  ['is allowed another round if the host was away', async () => sleep(1500), undefined],
])('a silence of a round %s', async (_, roundTrip, message) => {
  const [stdin, stdout, output] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const evaluator = { stdin, stdout, ended: new Promise(() => undefined) } as unknown as EvaluatorProcess;
  const began = performance.now();
  const conversation = {
    output,
    write: async () => undefined,
    end: () => undefined,
    ended: new Promise(() => undefined),
    roundTrip: async () => {
      await roundTrip(() => void output.write('answer\n'), performance.now() - began);
      await turn();
    },
  } as unknown as Conversation;
  const crossing = crossed(evaluator, conversation);
  let broken: string | undefined;
  void crossing.broken.then((breach) => (broken = breach.message));
  stdout.write('question\n');
  await turn();
  // Shorter than another round.
  await pass(ROUND_SECONDS * 1000 + LATER_MS + 600);
  expect(broken).toBe(message);
  crossing.close();
});
