import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluatorMemoryMb } from '../../../domain/job/evaluator-memory.ts';
import { createEvaluatorSandbox, createLocalCompute } from '../../../infra/compute/local.ts';
import { EVALUATOR_UID, FIRST_UID, MOST_UIDS } from '../../../infra/compute/run-protocol/environment.ts';
import { createEvaluator } from '../../../infra/evaluate/create-evaluator.ts';
import type { EvaluateSpec } from '../../../infra/evaluate.ts';
import { runningPrograms } from '../../support/process/running-programs.ts';
import { RUNTIME } from './runtime.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-enclosed-'));
const home = join(base, 'home');
const labels = join(base, 'labels');
const evaluator = createEvaluator({ home });
const server = createServer((socket) => socket.end('reached'));
let port = 0;
const isSandboxed = await createEvaluatorSandbox({ home }).isAvailable();
const isRoot = process.getuid?.() === 0;

beforeAll(async () => {
  mkdirSync(labels);
  for (const path of [join(home, 'up.json'), join(labels, 'labels.csv'), join(base, 'secret')])
    writeFileSync(path, 'secret', { mode: 0o644 });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.close();
  rmSync(base, { recursive: true, force: true });
});

const file = (path: string, text: string | Uint8Array) => ({ path, content: Buffer.from(text) });
const evaluate = (command: string, more: Partial<EvaluateSpec> = {}) =>
  evaluator.evaluate(
    {
      files: [file('score.py', 'print(1)\n')],
      command,
      timeoutSeconds: 120,
      seed: 7,
      artefacts: [],
      runtime: RUNTIME,
      conversation: null,
      limits: { roundSeconds: 30, lineBytes: 1000, totalBytes: 5000 },
      ...more,
    },
    new AbortController().signal,
  );

/** Output of a command that ends as a failure of the evaluator. */
async function printed(command: string, more?: Partial<EvaluateSpec>): Promise<string> {
  const result = await evaluate(`{ ${command}\n} >&2; exit 1`, more);
  return result.ok ? '' : result.failure.logTail.trim();
}

const connect = () =>
  `node -e 'require("net").connect(${port}, "127.0.0.1")` +
  `.on("data", (text) => console.log(String(text))).on("error", () => {})'`;

it('evaluators at once share the memory of the machine', () => {
  const limitBytes = process.constrainedMemory();
  const { memoryMb } = createEvaluatorSandbox({ home, places: 3 }).limits;
  expect(memoryMb).toBe(evaluatorMemoryMb({ totalBytes: totalmem(), limitBytes, places: 3 }));
});

describe.skipIf(!isSandboxed)('an evaluator in the sandbox', () => {
  it('has a control group for memory if runs have one', async () => {
    const { groups } = await createLocalCompute({ home, installation: 'evaluators' }).protections('required');
    const own = await printed('cat /proc/self/cgroup');
    expect(/^(0::|\d+:.*\bmemory\b).*\/perpetua-/m.test(own)).toBe(groups.includes('memory'));
  });

  it('reads its own files and no file of the machine', async () => {
    const paths = [join(home, 'up.json'), join(labels, 'labels.csv'), join(base, 'secret'), '~/.ssh/*', '/root/*'];
    const listed = await printed(`cat score.py; cat ${paths.join(' ')} 2>/dev/null; ls ${base} ${home} 2>/dev/null`);
    // The home shows only the way to its own folder.
    expect(listed.replaceAll(/^.*:$/gm, '').split(/\s+/).filter(Boolean)).toEqual(['print(1)', 'home', 'evaluations']);
  });

  it('writes into its own folders and nowhere else', async () => {
    const targets = ['own', '/tmp/own', '/usr/local/out', '/etc/out', '/out', `${home}/out`, `${home}/evaluations/out`];
    const wrote = await printed(`for f in ${targets.join(' ')}; do (echo x >$f) 2>/dev/null && echo $f; done; true`);
    expect(wrote.split('\n')).toEqual(['own', '/tmp/own']);
  });

  it('reads the folders of evaluator.readable', async () => {
    expect(await printed(`cat ${labels}/labels.csv`, { readable: [labels] })).toBe('secret');
    const changed = await printed(`(echo x >${labels}/labels.csv) 2>/dev/null || echo refused`, { readable: [labels] });
    expect(changed).toBe('refused');
  });

  it('that asks for a folder which no sandbox may show fails with the reason', async () => {
    const result = await evaluate('true', { readable: [home] });
    expect(result).toMatchObject({ ok: false, failure: { label: 'evaluator-failed' } });
    if (!result.ok) expect(result.failure.message).toContain('Perpetua hides its own folders');
  });

  it('runs programs of run.path', async () => {
    const programs = join(base, 'venv/bin');
    mkdirSync(programs, { recursive: true });
    writeFileSync(join(programs, 'scorer'), '#!/bin/sh\necho found', { mode: 0o755 });
    expect(await printed('scorer', { path: [programs] })).toBe('found');
  });

  it('reaches no server, unless its task asks for the network', async () => {
    expect(await printed(connect())).toBe('');
    expect(await printed(connect(), { network: true })).toBe('reached');
  });

  it('reaches its own servers, has a user with a name, and opens its descriptors by name', async () => {
    const own = `const server = require("net").createServer((socket) => socket.end("own")).listen(0, "127.0.0.1", () =>
      require("net").connect(server.address().port, "localhost").on("data", (text) => {
        console.log(String(text), require("os").userInfo().username.length > 0);
        process.exit();
      }))`;
    const named = 'test -n "$(id -un)" && cat <(echo substituted)';
    const said = await printed(`node -e '${own}'; bash -c '${named}' || { command -v bash || echo substituted; }`);
    expect(said.split('\n')).toEqual(['own true', 'substituted']);
  });

  it('sees no other process', async () => {
    expect(await printed(`ls /proc | grep -cx ${process.pid}`)).toBe('0');
    expect(await printed(`kill -0 ${process.ppid} 2>/dev/null || echo gone`)).toBe('gone');
  });

  it.runIf(isRoot)('has a user that no slot has', async () => {
    expect(await printed('id -u')).toBe(String(EVALUATOR_UID));
    expect(EVALUATOR_UID).toBeGreaterThan(FIRST_UID + MOST_UIDS);
  });

  it('sees a GPU only if its task asks for one', async () => {
    const nodes = 'ls -d /dev/nvidia* /dev/dri /dev/kfd 2>/dev/null | sort; true';
    const here = execFileSync('/bin/sh', ['-c', nodes], { encoding: 'utf8' }).trim();
    expect(await printed(nodes)).toBe('');
    if (here === '') expect(await printed(nodes, { gpu: true })).toBe('');
    else expect(await printed(nodes, { gpu: true })).not.toBe('');
  });

  it('leaves no process, and no file of its own, when it ends', async () => {
    await printed('setsid sleep 4231 </dev/null >/dev/null 2>&1 & touch /tmp/left; ln -s / way; mkdir -m 0 closed');
    expect(readdirSync(join(home, 'evaluations'))).toEqual([]);
    expect(await runningPrograms('sleep 4231')).toBe(0);
  });

  it.each([
    ['a pipe', 'mkfifo score.py'],
    ['a link to an endless file', 'ln -s /dev/zero score.py'],
    ['a huge file', 'truncate -s 8G score.py'],
  ])('that puts %s in the place of one of its files ends as evaluator-changed', async (_, act) => {
    const result = await evaluate(`rm score.py; ${act}; echo '{"loss": 1}' >&3`);
    expect(result).toMatchObject({ ok: false, failure: { label: 'evaluator-changed' } });
  });

  it('that takes too many processes fails, and leaves the machine its own', async () => {
    const result = await evaluate('n=0; while [ $n -lt 1100 ]; do sleep 4232 & n=$((n + 1)); done; sleep 4232');
    expect(result).toMatchObject({ ok: false, failure: { label: 'evaluator-failed' } });
    if (!result.ok) expect(result.failure.message).toContain('1024 processes');
  });

  it('keeps its secret out of command lines, and gets it', async () => {
    const secret = 'a secret of the installation';
    const lines = "cat /proc/[0-9]*/cmdline | tr '\\0' ' '";
    const seen = await printed(`echo "$PERPETUA_TASK_SECRET"; echo --; ${lines}`, { secret });
    const [own, others] = seen.split('--');
    expect(own?.trim()).toBe(secret);
    expect(others).not.toContain(secret);
  });
});
