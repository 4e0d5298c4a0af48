import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOptimizer } from '../../../infra/optimizer/create-optimizer.ts';
import type { AskRequest } from '../../../infra/optimizer.ts';

/** Answers with its process id; a key chooses a fault. */
const STAND_IN = `
import { createInterface } from 'node:readline';
createInterface(process.stdin).on('line', (line) => {
  const { id, key } = JSON.parse(line);
  if (key === 'dies') { process.stderr.write('no memory'); process.exit(3); }
  if (key === 'writes') return console.log('Warning: something');
  if (key === 'sleeps') return;
  if (key === 'fails') return console.log(JSON.stringify({ id, error: 'ValueError: no' }));
  if (key === 'short') return console.log(JSON.stringify({ id, values: [] }));
  console.log(JSON.stringify({ id, values: [process.pid] }));
});`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'optimizer-'));
  await writeFile(join(folder, 'stand-in.mjs'), STAND_IN);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const optimizer = (answerSeconds?: number) =>
  createOptimizer({
    packageRoot: folder,
    trainer: { cache: folder },
    env: process.env,
    program: [process.execPath, join(folder, 'stand-in.mjs')],
    ...(answerSeconds !== undefined && { answerSeconds }),
  });

const request = (key: string): AskRequest => ({
  key,
  knobs: [['float', 0, 1, 'linear']],
  direction: 'minimize',
  population: 4,
  seed: 1,
  solutions: [],
});
const { signal } = new AbortController();

describe('an optimizer', () => {
  test('is one process for all requests', async () => {
    const { ask } = optimizer();
    const answers = await Promise.all(['a', 'b', 'c'].map((key) => ask(request(key), signal)));
    expect(new Set(answers.flat()).size).toBe(1);
    expect(answers[0]).not.toEqual([process.pid]);
  });

  test.each([
    ['dies', 'ended with exit code 3: no memory'],
    ['writes', 'expected an answer, wrote "Warning: something"'],
  ])('that %s is reported as down, and the next request starts another', async (key, message) => {
    const { ask } = optimizer();
    const before = await ask(request('a'), signal);
    await expect(ask(request(key), signal)).rejects.toMatchObject({
      kind: 'down',
      message: expect.stringContaining(message) as string,
    });
    const after = await ask(request('a'), signal);
    expect(after).not.toEqual(before);
  });

  test('that does not answer in time is reported as down', async () => {
    await expect(optimizer(0.2).ask(request('sleeps'), signal)).rejects.toMatchObject({ kind: 'down' });
  });

  test.each(['fails', 'short'])('whose answer %s refuses this request alone', async (key) => {
    const { ask } = optimizer();
    const before = await ask(request('a'), signal);
    await expect(ask(request(key), signal)).rejects.toMatchObject({ kind: 'refused' });
    expect(await ask(request('a'), signal)).toEqual(before);
  });

  test('that cannot start is reported as down', async () => {
    const options = { packageRoot: folder, trainer: { cache: folder }, env: {} };
    const missing = createOptimizer({ ...options, program: [join(folder, 'none')] });
    await expect(missing.ask(request('a'), signal)).rejects.toMatchObject({ kind: 'down' });
  });

  test('whose environment is missing names the command that installs it', async () => {
    const missing = createOptimizer({ packageRoot: process.cwd(), trainer: { cache: folder }, env: {} });
    await expect(missing.ask(request('a'), signal)).rejects.toThrow('npx perpetua optimizer install');
  });

  test('lets a caller that gives up go, and answers the others', async () => {
    const { ask } = optimizer();
    const controller = new AbortController();
    const given = ask(request('sleeps'), controller.signal);
    const other = ask(request('a'), signal);
    controller.abort(new Error('given up'));
    await expect(given).rejects.toThrow('given up');
    expect(await other).toHaveLength(1);
  });
});
