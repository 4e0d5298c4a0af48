import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Conversation } from '../../../infra/compute.ts';
import { cross } from '../../../infra/evaluate/cross.ts';
import { watchPresence } from '../../../infra/evaluate/presence.ts';
import type { EvaluatorProcess } from '../../../infra/evaluate/start.ts';

const ROUND_SECONDS = 1;

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
  ['is no answer where it is on its way', async (answer: () => void) => answer(), undefined],
  ['is not owed where its host was away: it has another round', async () => sleep(1500), undefined],
])('a silence of a round %s', async (_, reach, message) => {
  const [stdin, stdout, output] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const evaluator = { stdin, stdout, ended: new Promise(() => undefined) } as unknown as EvaluatorProcess;
  let returned = 0;
  const conversation = {
    ...{ output, write: async () => undefined, end: () => undefined, ended: new Promise(() => undefined) },
    reach: async () => {
      await reach(() => void output.write('answer\n'));
      await turn();
      returned += 1;
    },
  } as unknown as Conversation;
  const crossing = crossed(evaluator, conversation);
  let broken: string | undefined;
  void crossing.broken.then((said) => (broken = said.message));
  stdout.write('question\n');
  await expect.poll(() => returned).toBeGreaterThan(0);
  if (message === undefined) expect(broken).toBeUndefined();
  else await expect.poll(() => broken).toBe(message);
  crossing.close();
});
