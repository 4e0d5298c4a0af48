import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';

const folder = mkdtempSync(join(tmpdir(), 'perpetua-kill-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A process that reaches two points, one after the other. */
const reach = (kill: { at: string | null; once: string | null }) =>
  spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { createKillPoint } from ${JSON.stringify(join(packageRoot(), 'dist/workers/kill-point.js'))};
       const reach = createKillPoint(${JSON.stringify(kill)});
       reach('lease-taken'); reach('mid-run'); console.log('alive');`,
    ],
    { encoding: 'utf8' },
  );

test('a kill point takes its own process with SIGKILL, once, and remembers that across restarts', () => {
  const once = join(folder, 'once');
  expect(reach({ at: 'mid-run', once })).toMatchObject({ signal: 'SIGKILL', stdout: '' });
  expect(existsSync(once)).toBe(true);
  expect(reach({ at: 'mid-run', once })).toMatchObject({ signal: null, status: 0, stdout: 'alive\n' });
});

test('a kill point that is not set, or never reached, does nothing', () => {
  const once = join(folder, 'never');
  for (const kill of [
    { at: null, once: null },
    { at: 'mid-run', once: null },
    { at: 'scored', once },
  ])
    expect(reach(kill)).toMatchObject({ signal: null, status: 0, stdout: 'alive\n' });
  expect(existsSync(once)).toBe(false);
});
