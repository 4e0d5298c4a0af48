import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Conversation } from '../../../infra/compute.ts';
import { cross } from '../../../infra/evaluate/cross.ts';
import { watchPresence } from '../../../infra/evaluate/presence.ts';
import type { EvaluatorProcess } from '../../../infra/evaluate/start.ts';

const ROUND_SECONDS = 1;
/** Its host may have been away for so long between two looks. */
const LATER_MS = 800;

const crossed = (evaluator: EvaluatorProcess, conversation: Conversation) =>
  cross(evaluator, conversation, {
    limits: { roundSeconds: ROUND_SECONDS, lineBytes: 100, totalBytes: 100 },
    allowance: { presence: watchPresence(conversation), most: 60_000 },
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
  await sleep(ROUND_SECONDS * 1500);
  expect(crossing.overdue()).toBeUndefined();
  read();
  await turn();
  expect(crossing.overdue()).toBeUndefined();
  // Nothing came since, though everybody listened.
  await expect.poll(() => crossing.overdue()).toContain('expected no silence over 1 s');
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
  let at = NaN;
  void crossing.broken.then((said) => {
    broken = said.message;
    at = performance.now() - began;
  });
  stdout.write('question\n');
  if (message === undefined) await sleep(ROUND_SECONDS * 1000 + LATER_MS + 600);
  await expect.poll(() => broken).toBe(message);
  // Not after another round.
  if (message !== undefined) expect(at).toBeLessThan(2 * ROUND_SECONDS * 1000 + LATER_MS);
  crossing.close();
});
