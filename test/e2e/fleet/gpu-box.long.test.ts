import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { blocksOf, readDoc } from '../../docs/tables.ts';
import { startAgent, type TestAgent } from '../../support/machine/ssh-agent.ts';
import { GPUS as REAL_GPUS, noGpu } from '../../support/machine/real-gpu.ts';
import { makeKey, noSshd, startSshd, type Sshd } from '../../support/machine/sshd.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { steering } from '../../support/e2e/steer.ts';

const block = blocksOf(await readDoc('README.md'), 'sh').find((text) => text.includes('> fleet.yaml')) ?? '';
const lines = block.trim().split('\n');
const guide = (blocksOf(await readDoc('docs/guides/fleet.md'), 'sh')[0] ?? '').trim().split('\n');
/** The real GPUs, or two unused ones of a stand-in for nvidia-smi. */
const GPUS = noGpu === undefined ? REAL_GPUS : [`GPU-${randomUUID()}`, `GPU-${randomUUID()}`];
const LIST = GPUS.map((uuid, index) => `echo "${index}, ${uuid}, Stand-In, 81920"`).join('; ');
const SMI = `#!/bin/sh\ncase $1 in *query-gpu*) ${LIST} ;; esac\n`;

describe.skipIf(noSshd !== undefined)(`the README's way to your own GPU box ${noSshd ?? ''}`, () => {
  let stack: TestStack;
  let box: Sshd;
  let agent: TestAgent;
  let clone: string;
  let env: Record<string, string>;

  /** Makes `ssh box` reach the box: by an alias of the config, with a key that is in the agent alone. */
  function befriend(bin: string): void {
    const key = join(stack.home, 'key');
    appendFileSync(join(box.folder, 'authorized'), `${makeKey(key)}\n`);
    agent.addAndDelete(key);
    const config = join(stack.home, 'ssh config');
    const way = [`HostName ${box.address}`, `Port ${box.port}`, `User ${box.user}`, 'IdentityFile /nowhere/key'];
    writeFileSync(config, ['Host box', ...way, `UserKnownHostsFile ${box.knownHosts}`, ''].join('\n  '));
    // ssh takes the user's home from the list of users, whatever HOME is.
    const ssh = execFileSync('sh', ['-c', 'command -v ssh'], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, 'ssh'), `#!/bin/sh\nexec ${ssh} -F '${config}' "$@"\n`, { mode: 0o755 });
  }

  beforeAll(async () => {
    stack = await startTestStack();
    box = await startSshd({ path: 'bin' });
    mkdirSync(join(box.home, 'bin'));
    if (noGpu !== undefined) writeFileSync(join(box.home, 'bin', 'nvidia-smi'), SMI, { mode: 0o755 });
    agent = await startAgent(stack.home);
    clone = join(stack.home, 'clone');
    const bin = join(clone, 'node_modules', '.bin');
    mkdirSync(bin, { recursive: true });
    symlinkSync(join(packageRoot(), 'scripts', 'perpetua.mjs'), join(bin, 'perpetua'));
    befriend(bin);
    env = {
      PATH: [bin, dirname(process.execPath), process.env.PATH].join(':'),
      SSH_AUTH_SOCK: agent.socket,
      HOME: stack.home,
      PERPETUA_HOME: stack.home,
      TEMPORAL_ADDRESS: stack.temporalAddress,
      DATABASE_URL: stack.databaseUrl,
    };
    await stack.startWorker({ slots: 1, cwd: clone, env });
  });
  afterAll(async () => {
    agent.stop();
    await stack.stop();
    await box.destroy();
  });

  const shell = async (line: string): Promise<string> =>
    (await promisify(execFile)('sh', ['-c', line], { cwd: clone, env })).stdout;

  test('is five lines that work as they stand, up to a run on each GPU', async () => {
    expect(lines).toHaveLength(5);
    const [write = '', check = '', apply = '', init = '', start = ''] = lines;
    await shell(write);
    expect(await shell(check)).toMatch(RegExp(`1 of 1 host can run trials, on ${GPUS.length} slot`));
    expect(await shell(apply)).toBe('added: box\n');
    await shell(init);
    await shell(start);
    await stack.until(
      'a run on each GPU',
      `select count(distinct gpu) = ${GPUS.length} as done, json_agg(runs)
         from runs join slots on slots.id = runs.slot_id
         where runs.host = 'box' and gpu = any($1) and launched_at is not null`,
      [GPUS],
    );
    await steering(() => stack)
      .handleOf('my-gpu-task')
      .signal('stop', { now: true });
    await steering(() => stack).untilPhase('my-gpu-task', 'stopped');
    const [run] = await stack.query<{ id: string }>(
      `select trial_id as id from runs where launched_at is not null limit 1`,
    );
    expect(await shell(`npx perpetua show ${run?.id}`)).toMatch(/machine +box: .*(Stand-In|NVIDIA).*, \d+ cores, /);
  });

  test('leads to a guide whose lines work there as they stand', async () => {
    expect(guide.map((line) => line.split(/  +/)[0])).toContain('npx perpetua fleet drain box');
    const outputs = [];
    for (const line of guide) outputs.push(await shell(line));
    expect(outputs.join('')).toContain('1 of 1 host can run trials');
    expect(await shell('npx perpetua fleet --json')).toMatch(/"name":"box".*"state":"draining"/);
    expect(await shell('npx perpetua fleet resume box')).toContain('box');
    expect(await shell('npx perpetua fleet --json')).toMatch(/"name":"box".*"state":"serving"/);
  });
});
