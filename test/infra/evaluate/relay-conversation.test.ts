import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Conversation } from '../../../infra/compute.ts';
import { relayConversation } from '../../../infra/evaluate/relay-conversation.ts';
import { watchReachability } from '../../../infra/evaluate/host-reachability.ts';
import type { EvaluatorProcess } from '../../../infra/evaluate/start-evaluator.ts';

const ROUND_SECONDS = 1;
/** Its host may have been away for so long between two looks. */
const LATER_MS = 800;
const STEP_MS = 20;

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => vi.useRealTimers());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Lets time pass in small steps, after each of which the streams have their turn. */
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

it('holds no silence against a candidate from while its answers were not read', async () => {
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
  // Nothing came since, though everybody listened.
  await pass(ROUND_SECONDS * 1000 + LATER_MS);
  expect(crossing.overdue()).toContain('expected no silence over 1 s');
  crossing.close();
});

it.each([
  ['is told of at once where its host is there', async () => undefined, 'expected an answer within 1 s; none came'],
  [
    'is no answer where it is on its way when its round is over',
    async (answer: () => void, ms: number) => ms > ROUND_SECONDS * 1000 + LATER_MS - 100 && answer(),
    undefined,
  ],
  ['is not owed where its host was away: it has another round', async () => sleep(1500), undefined],
])('a silence of a round %s', async (_, reach, message) => {
  const [stdin, stdout, output] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const evaluator = { stdin, stdout, ended: new Promise(() => undefined) } as unknown as EvaluatorProcess;
  const began = performance.now();
  const conversation = {
    ...{ output, write: async () => undefined, end: () => undefined, ended: new Promise(() => undefined) },
    reach: async () => {
      await reach(() => void output.write('answer\n'), performance.now() - began);
      await turn();
    },
  } as unknown as Conversation;
  const crossing = crossed(evaluator, conversation);
  let broken: string | undefined;
  void crossing.broken.then((said) => (broken = said.message));
  stdout.write('question\n');
  await turn();
  // Less than another round.
  await pass(ROUND_SECONDS * 1000 + LATER_MS + 600);
  expect(broken).toBe(message);
  crossing.close();
});
