import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createEvaluator } from '../../../infra/evaluate/create-evaluator.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-draw-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const draw = (command: string, secret = 'abc') =>
  createEvaluator({ home }).draw({
    files: [{ path: 'words.txt', content: Buffer.from('one two\n') }],
    command,
    secret,
    timeoutSeconds: 5,
  });

test('the output of a command, beside the evaluator’s files and with the secret, is the drawn file', async () => {
  const drawn = await draw('cat words.txt; printf "%s\\377" "$PERPETUA_TASK_SECRET"; echo noise >&2');
  expect(Buffer.from(drawn).toString('latin1')).toBe('one two\nabc\xff');
  expect(readdirSync(join(home, 'evaluations'))).toEqual([]);
});

test.each([
  ['exit 3', 'it ended with exit code 3'],
  ['echo no words >&2; exit 1', 'it ended with exit code 1'],
  ['sleep 4877; true', 'within 5 s; it took longer'],
  ['yes', 'it printed more than'],
])('a command that fails or takes too long fails as a setup: %s', async (command, says) => {
  await expect(draw(command)).rejects.toMatchObject({
    name: 'SetupFailedError',
    message: expect.stringContaining(says) as string,
  });
  expect(readdirSync(join(home, 'evaluations'))).toEqual([]);
  expect(spawnSync('pgrep', ['-f', '^sleep 4877']).stdout.toString()).toBe('');
});
