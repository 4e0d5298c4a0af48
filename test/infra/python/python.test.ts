import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { bytes } from '../compute/conformance/support.ts';
import { describeBuildFailure } from '../../../infra/python/describe-build-failure.ts';

describe('an interpreter that is lost', () => {
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
});

describe('why it failed', () => {
  const python = { version: '3.9.18', folder: '/usr', path: '/usr/bin/python3.9', build: 'b' };
  const there = { machine: 'Linux x86_64', fits: { ...python, version: '3.11.2' }, others: [] };
  const lacks = { machine: 'Linux x86_64', fits: null, others: [python] };
  const of = { host: 'box', version: '3.11', lock: 'requirements.lock' };

  test('a Python that is neither there nor to be had is told with those that are there', () => {
    const output = 'fetching Python 3.11\nerror: Failed to download https://example.org/cpython\n';
    expect(describeBuildFailure({ ...of, found: lacks, output })).toBe(
      'environment.python: expected Python 3.11 on box, found 3.9.18 in /usr, and uv could not fetch it ' +
        '(error: Failed to download https://example.org/cpython); install Python 3.11 there, or set environment.python to one that is there',
    );
  });

  test('a host that reaches no index is told apart from a lock that does not install', () => {
    const away = 'error: Failed to fetch: `https://index.example/simple/six/`\n  Caused by: dns error';
    expect(describeBuildFailure({ ...of, found: there, output: away })).toMatch(
      /^environment\.lock: expected a package index that box reaches, reached none \(.*dns error\)/,
    );
    expect(describeBuildFailure({ ...of, found: there, output: 'error: Hash mismatch for six' })).toBe(
      'environment.lock: expected requirements.lock to install on box; uv says: error: Hash mismatch for six',
    );
  });
});
