import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createEvaluatorSandbox } from '../../../infra/compute/local.ts';
import { createEvaluator } from '../../../infra/evaluate/create-evaluator.ts';
import type { CheckSpec } from '../../../infra/evaluate.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-check-'));
const home = join(base, 'home');
const evaluator = createEvaluator({ home });
const isSandboxed = await createEvaluatorSandbox({ home }).isAvailable();
writeFileSync(join(base, 'secret'), 'secret', { mode: 0o644 });
afterAll(() => rmSync(base, { recursive: true, force: true }));

const check = (command: string, more: Partial<CheckSpec> = {}) =>
  evaluator.check(
    {
      files: [{ path: 'lib/train.py', content: Buffer.from('x = 1\n') }],
      command,
      path: [],
      timeoutSeconds: 60,
      memoryMb: 256,
      ...more,
    },
    new AbortController().signal,
  );

describe.skipIf(!isSandboxed)('a check of files before a run', () => {
  test('passes by the exit code of its command, and leaves nothing', async () => {
    expect(await check('grep -q "x = 1" lib/train.py && echo fine')).toEqual({ problem: null, log: 'fine' });
    expect(readdirSync(join(home, 'evaluations'))).toEqual([]);
  });

  test('fails with the end of the output', async () => {
    expect(await check('echo no >&2; exit 3')).toEqual({ problem: 'ended with exit code 3', log: 'no' });
  });

  test('fails after its time', async () => {
    const found = await check('sleep 600', { timeoutSeconds: 1 });
    expect(found.problem).toBe('took longer than 1 s');
  });

  test('fails above its memory', async () => {
    const found = await check(`node -e 'Buffer.alloc(3e8, 1)'`, { memoryMb: 100 });
    expect(found.problem).toBe('used more than 100 MB of memory');
  });

  test('reads nothing of the machine outside the sandbox, and reaches no network', async () => {
    expect((await check(`cat ${join(base, 'secret')}`)).problem).toBe('ended with exit code 1');
    const dial = `require('net').connect(9, '10.0.0.1').on('error', (e) => { console.log(e.code); process.exit(4) })`;
    expect(await check(`node -e "${dial}"`)).toEqual({ problem: 'ended with exit code 4', log: 'ENETUNREACH' });
  });
});
