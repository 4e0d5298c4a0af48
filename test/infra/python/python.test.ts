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

  /** Prepares a stage whose Python is a link to a file; returns the file. */
  async function built(stage: string): Promise<string> {
    const interpreter = join(home, `python-of-${stage.slice(0, 4)}`);
    writeFileSync(interpreter, '');
    await compute.stage(stage, [{ path: 'lock', content: bytes('') }]);
    const command = `mkdir -p $PERPETUA_DATA/venv/bin && ln -sf ${interpreter} $PERPETUA_DATA/venv/bin/python`;
    await compute.prepare(stage, [command], { onOutput: () => undefined, signal: AbortSignal.timeout(60_000) });
    expect(await compute.isPrepared(stage)).toBe(true);
    return interpreter;
  }

  test('leaves an environment that is set aside and built again', async () => {
    const stage = `env${'a'.repeat(24)}_${'b'.repeat(16)}`;
    const interpreter = await built(stage);
    rmSync(interpreter);
    expect(await compute.isPrepared(stage)).toBe(false);
    expect(await compute.isStaged(stage)).toBe(false);
    await built(stage);
  });

  test("does not matter for a Python that a task's setup made", async () => {
    rmSync(await built('e'.repeat(64)));
    expect(await compute.isPrepared('e'.repeat(64))).toBe(true);
  });
});

describe('the message of a failed build', () => {
  const python = { version: '3.9.18', folder: '/usr', path: '/usr/bin/python3.9', build: 'b' };
  const there = { machine: 'Linux x86_64', fits: { ...python, version: '3.11.2' }, others: [] };
  const lacks = { machine: 'Linux x86_64', fits: null, others: [python] };
  const build = { host: 'box', version: '3.11', lock: 'requirements.lock' };

  test('names the installed versions if a Python is not installed and cannot be fetched', () => {
    const output = 'fetching Python 3.11\nerror: Failed to download https://example.org/cpython\n';
    expect(describeBuildFailure({ ...build, found: lacks, output })).toBe(
      'environment.python: expected Python 3.11 on box, found 3.9.18 in /usr, and uv could not fetch it ' +
        '(error: Failed to download https://example.org/cpython); ' +
        'install Python 3.11 there, or set environment.python to a version that is there',
    );
  });

  test('distinguishes a host that reaches no index from a lock that does not install', () => {
    const away = 'error: Failed to fetch: `https://index.example/simple/six/`\n  Caused by: dns error';
    expect(describeBuildFailure({ ...build, found: there, output: away })).toMatch(
      /^environment\.lock: expected box to reach a package index, reached none \(.*dns error\)/,
    );
    expect(describeBuildFailure({ ...build, found: there, output: 'error: Hash mismatch for six' })).toBe(
      'environment.lock: expected requirements.lock to install on box; uv reported: error: Hash mismatch for six; ' +
        'if the lock is at fault, write it again with `uv pip compile requirements.in -o requirements.lock`',
    );
  });
});
