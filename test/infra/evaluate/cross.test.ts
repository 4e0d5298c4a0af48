import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Conversation } from '../../../infra/compute.ts';
import { cross } from '../../../infra/evaluate/cross.ts';
import type { EvaluatorProcess } from '../../../infra/evaluate/start.ts';

const ROUND_SECONDS = 1;

it('holds no silence against a candidate from while its answers were not read', async () => {
  let read = (): void => undefined;
  const stdin = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void (read = done) });
  const [stdout, output] = [new PassThrough(), new PassThrough()];
  const evaluator = { stdin, stdout, ended: new Promise(() => undefined) } as unknown as EvaluatorProcess;
  const conversation = { output, write: async () => undefined, end: () => undefined } as unknown as Conversation;
  const crossing = cross(evaluator, conversation, { roundSeconds: ROUND_SECONDS, lineBytes: 100, totalBytes: 100 });
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
