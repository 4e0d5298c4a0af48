import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const HELD_OUT = 'def held_out(draw):\n    return [0.0, 1.0, 1.0]\n';
const hasPython = spawnSync('python3', ['--version']).status === 0;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evaluator-'));
  await mkdir(join(folder, 'artefacts'));
  const docs = await readFile('docs/guides/tasks/scoring.md', 'utf8');
  const [, program = ''] = /```python\n(import json.*?)```/s.exec(docs) ?? [];
  await writeFile(join(folder, 'score.py'), HELD_OUT + program);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function score(answer: string | Buffer): Promise<{ status: number | null; message: string; result: string }> {
  await writeFile(join(folder, 'artefacts/predictions.json'), answer);
  const { status, stderr, stdout } = spawnSync('sh', ['-c', 'python3 score.py 3>&1'], {
    cwd: folder,
    env: { PATH: process.env.PATH, PERPETUA_SEED: '7' },
  });
  return { status, message: stderr.toString(), result: stdout.toString() };
}

describe.skipIf(!hasPython)('the evaluator in the documentation', () => {
  test('scores an answer', async () => {
    expect(await score('[0, 1, 0]')).toEqual({ status: 0, message: '', result: '{"accuracy": 0.6666666666666666}' });
  });

  test.each<[string, string | Buffer]>([
    ['an integer of 400 digits', `[0, 1, ${'9'.repeat(400)}]`],
    ['an integer of 10,000 digits', `[0, 1, ${'9'.repeat(10_000)}]`],
    ['an infinite number', '[0, 1, 1e999]'],
    ['NaN', '[0, 1, NaN]'],
    ['lists without end', '['.repeat(300_000)],
    ['another type', '{"a": 1}'],
    ['a number alone', '3'],
    ['too few', '[0, 1]'],
    ['a text', '["a", 1, 2]'],
    ['null', '[null, 1, 2]'],
    ['nothing', ''],
    ['no text', Buffer.from([0xff, 0xfe, 0x00])],
  ])('charges the candidate for %s', async (_, answer) => {
    const { status, message, result } = await score(answer);
    expect({ status, result }).toEqual({ status: 3, result: '' });
    expect(message).toContain('in predictions.json');
  });
});
