import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-interrupt-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(['SIGINT', 'SIGTERM'] as const)('a long replay reports progress, and ends at once by %s', async (signal) => {
  const file = join(folder, 'curves.jsonl');
  const val = Array.from({ length: 10 }, (_, i) => [10 * (i + 1), 1 + 1 / (i + 1)]);
  const line = (k: number): string =>
    JSON.stringify({ track: 't', group: `g${k}`, run: `r${k}`, steps: 100, val, train: [] });
  writeFileSync(file, Array.from({ length: 30_000 }, (_, k) => line(k)).join('\n'));
  const cli = spawn(
    process.execPath,
    ['dist/cli/main.js', 'abort', 'replay', '--curves', file, '--rule', 'median', '--repeats', '1'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let text = '';
  cli.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    // The signal is sent at once, since the replay takes only seconds.
    if (text.includes('replaying 30000 runs with median')) cli.kill(signal);
  });
  const [, endedBy] = (await once(cli, 'exit')) as [number | null, string | null];
  expect(text).toContain('replaying 30000 runs');
  expect(endedBy).toBe(signal);
});
