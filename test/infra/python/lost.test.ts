import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { bytes } from '../compute/conformance/support.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-lost-'));
const compute = createLocalCompute({ home, installation: 'lost-tests' });
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A stage whose setup is over, with a Python that is a link to a file. */
async function built(stage: string): Promise<string> {
  const interpreter = join(home, `python-of-${stage.slice(0, 4)}`);
  writeFileSync(interpreter, '');
  await compute.stage(stage, [{ path: 'lock', content: bytes('') }]);
  const command = `mkdir -p $PERPETUA_DATA/venv/bin && ln -sf ${interpreter} $PERPETUA_DATA/venv/bin/python`;
  await compute.prepare(stage, [command], { onOutput: () => undefined, signal: AbortSignal.timeout(60_000) });
  expect(await compute.isPrepared(stage)).toBe(true);
  return interpreter;
}

test('an environment whose interpreter was removed is set aside, so that it is built anew', async () => {
  const stage = `env${'a'.repeat(24)}_${'b'.repeat(16)}`;
  const interpreter = await built(stage);
  rmSync(interpreter);
  expect(await compute.isPrepared(stage)).toBe(false);
  expect(await compute.isStaged(stage)).toBe(false);
  await built(stage);
});

test('a Python that a setup made is its own matter', async () => {
  rmSync(await built('e'.repeat(64)));
  expect(await compute.isPrepared('e'.repeat(64))).toBe(true);
});
