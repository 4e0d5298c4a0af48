import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { bytes, followToEnd, LIMITS, specOf } from '../conformance/support.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-sweep-'));
const compute = createLocalCompute({ home, installation: 'sweep-tests' });
const runs = join(home, 'runs', 'sweep-tests');
beforeAll(() => compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]));
afterAll(() => execFileSync('rm', ['-rf', home]));

const LEVELS = 'n/'.repeat(500);
const DIG = `for i in 1 2 3 4 5 6; do mkdir -p ${LEVELS} && cd -P ./${LEVELS}; done; echo x >last; echo dug`;

it('removes a run that nested folders until no path reaches them', async () => {
  // On a slow machine, the supervisor counts the files before the run ends.
  const spec = specOf(DIG, { limits: { ...LIMITS, files: 10_000 } });
  await compute.launch(spec);
  const { text, end } = await followToEnd(compute, spec);
  expect({ text, reason: end.reason }).toEqual({ text: 'dug\n', reason: 'exit' });
  await compute.remove(spec);
  expect(await compute.inspect(spec)).toEqual({ state: 'absent' });
});

const mounts = spawnSync('unshare', ['--mount', 'true']).status === 0 && process.getuid?.() === 0;

it.runIf(mounts)('names the runs that it cannot remove, and removes the others', async () => {
  for (const name of ['a', 'b', 'c']) mkdirSync(join(runs, `${name.repeat(16)}.0`, '5', 'held'), { recursive: true });
  const held = join(runs, `${'b'.repeat(16)}.0`, '5', 'held');
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', held]);
  try {
    const swept = await compute.sweep({ keep: [], olderThanSeconds: 0, dryRun: false });
    expect(swept.removed).toEqual([`${'a'.repeat(16)}.0`, `${'c'.repeat(16)}.0`]);
    expect(swept.failed).toMatchObject([{ name: `${'b'.repeat(16)}.0`, reason: expect.stringMatching(/busy/i) }]);
  } finally {
    execFileSync('umount', [held]);
  }
  expect(readdirSync(runs)).toEqual([`${'b'.repeat(16)}.0`]);
  await compute.sweep({ keep: [], olderThanSeconds: 0, dryRun: false });
  expect(readdirSync(runs)).toEqual([]);
});
