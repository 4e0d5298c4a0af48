import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SlotTakenError, type Conversation, type RunSpec } from '../../../../infra/compute.ts';
import type { SshCompute } from '../../../../infra/compute/ssh.ts';
import { createEvaluator } from '../../../../infra/evaluate/create-evaluator.ts';
import { processesOf } from '../../../support/database/ledger.ts';
import { signalAll } from '../../../support/process/signal.ts';
import { noSshd } from '../../../support/machine/sshd.ts';
import { bytes, followToEnd } from '../conformance/support.ts';
import { testHosts } from './support/hosts.ts';
import { killSupervisor, LONG, sharedBox, TELLS_OPEN } from './support/shared-box.ts';
import { RUNTIME } from '../../evaluate/runtime.ts';

const hosts = testHosts();
const home = mkdtempSync(join(tmpdir(), 'perpetua-gpu-talks-'));
afterAll(() => rmSync(home, { recursive: true }));

const TAKEN = { name: 'SlotTakenError', message: expect.stringContaining('is held by another installation') as string };

/** Launches a run and follows it to its end. */
async function runToEnd(compute: SshCompute, spec: RunSpec): Promise<RunSpec> {
  await compute.launch(spec);
  await followToEnd(compute, spec);
  return spec;
}

const ask = async (talk: Conversation, question: string): Promise<string> => {
  await talk.write(bytes(`${question}\n`));
  return Buffer.from((await talk.output[Symbol.asyncIterator]().next()).value as Uint8Array).toString();
};

describe.skipIf(noSshd !== undefined)(`GPUs of a run that an evaluator talks to ${noSshd ?? ''}`, () => {
  it('are held by the conversation, unseen by its program, and released with it', async () => {
    const { gpus, on, heldBy, ours, theirs } = await sharedBox(hosts);
    const run = await runToEnd(ours, { ...on('echo 3 > factor', ...gpus), ...LONG });
    await expect.poll(() => heldBy(theirs)).toEqual([]);
    const answer = 'read -r n; echo "$((n * $(cat factor)))"; echo told >&2; read -r n; exit 4';
    const artefacts = [{ path: 'factor', maxBytes: 100 }];
    const talk = await ours.converse({ ...run, artefacts, command: answer });
    expect(await ask(talk, '14')).toBe('42\n');
    expect((await heldBy(theirs)).sort()).toEqual([...gpus].sort());
    for (const gpu of gpus) await expect(theirs.launch(on('echo never', gpu))).rejects.toMatchObject(TAKEN);
    // Another slot of the same installation may use the GPU meanwhile.
    expect((await followToEnd(ours, await runToEnd(ours, on('echo beside', gpus[0])))).text).toBe('beside\n');
    await talk.write(bytes('1\n'));
    expect(await talk.ended).toMatchObject({ reason: 'exit', exitCode: 4, treeGone: true });
    expect(talk.stderrTail()).toBe('told\n');
    await expect.poll(() => heldBy(theirs)).toEqual([]);
  });

  it('are not shared with an installation that took them: the conversation is refused for now', async () => {
    const { gpus, on, heldBy, ours, theirs } = await sharedBox(hosts);
    const run = await runToEnd(ours, { ...on('true', gpus[0]), ...LONG });
    await expect.poll(() => heldBy(theirs)).toEqual([]);
    const other = { ...on('sleep 4871', gpus[0]), ...LONG };
    await theirs.launch(other);
    await expect(ours.converse({ ...run, command: 'cat' })).rejects.toMatchObject(TAKEN);
    await theirs.kill(other, other.fence);
    await expect.poll(() => heldBy(ours)).toEqual([]);
    const talk = await ours.converse({ ...run, command: 'cat' });
    expect(await ask(talk, 'now')).toBe('now\n');
    await talk.stop();
  });

  it('cause no fault of the candidate if another installation takes them between check and lock', async () => {
    const { sshd, gpus, on, heldBy, ours, theirs } = await sharedBox(hosts);
    const run = await runToEnd(ours, { ...on('true', gpus[0]), ...LONG });
    await expect.poll(() => heldBy(theirs)).toEqual([]);
    // The host is slow after the conversation's check found the GPUs free.
    const scripts = join(sshd.home, '.perpetua-host/bin');
    const script = join(scripts, readdirSync(scripts).find((name) => name.startsWith('host-')) ?? '');
    const late = join(home, 'late');
    const slow = readFileSync(script, 'utf8').replace('  mkfifo ', `  while [ ! -e ${late} ]; do sleep .1; done\n$&`);
    writeFileSync(script, slow);
    const talk = await ours.converse({ ...run, command: 'cat' });
    const other = { ...on('sleep 4872', gpus[0]), ...LONG };
    await theirs.launch(other);
    writeFileSync(late, '');
    const scored = createEvaluator({ home }).evaluate(
      {
        files: [],
        command: 'echo 1; read -r line || exit 3',
        timeoutSeconds: 60,
        seed: 1,
        artefacts: [],
        runtime: RUNTIME,
        conversation: talk,
        limits: { roundSeconds: 30, lineBytes: 1000, totalBytes: 1000 },
      },
      new AbortController().signal,
    );
    await expect(scored).rejects.toBeInstanceOf(SlotTakenError);
    await theirs.kill(other, other.fence);
  });

  it('are free once the conversation ends with its lock or its connection', async () => {
    const { gpus, on, heldBy, ours, theirs } = await sharedBox(hosts);
    const run = await runToEnd(ours, { ...on('true', gpus[0]), ...LONG });
    const talk = await ours.converse({ ...run, command: 'echo up; sleep 4873' });
    await talk.output[Symbol.asyncIterator]().next();
    const holders = processesOf(join('/tmp/.perpetua-gpus', String(process.getuid?.()), gpus[0]), 'ours');
    expect(holders.length).toBeGreaterThan(0);
    signalAll(holders.map((line) => parseInt(line)));
    await expect(talk.ended).rejects.toThrow();
    await expect.poll(() => heldBy(theirs)).toEqual([]);
    const next = await ours.converse({ ...run, command: 'echo up; sleep 4874' });
    await next.output[Symbol.asyncIterator]().next();
    expect(await heldBy(theirs)).toEqual([gpus[0]]);
    ours.close();
    await expect.poll(() => heldBy(theirs)).toEqual([]);
  });
});

describe.skipIf(noSshd !== undefined)(`GPUs of a run that awaits a conversation ${noSshd ?? ''}`, () => {
  it('are kept after its end until it is removed', async () => {
    const { gpus, on, heldBy, ours, theirs } = await sharedBox(hosts);
    const run = await runToEnd(ours, { ...on('echo 3 > factor', gpus[0]), ...LONG, awaitsConversation: true });
    expect(await heldBy(theirs)).toEqual([gpus[0]]);
    const other = on('echo later', gpus[0]);
    await expect(theirs.launch(other)).rejects.toMatchObject(TAKEN);
    const talk = await ours.converse({ ...run, command: 'cat main.txt' });
    await talk.ended;
    await talk.stop();
    expect(await heldBy(theirs)).toEqual([gpus[0]]);
    await ours.remove(run);
    await expect.poll(() => heldBy(theirs)).toEqual([]);
    expect((await followToEnd(theirs, await runToEnd(theirs, other))).text).toBe('later\n');
    await expect.poll(() => processesOf(gpus[0], 'flock')).toEqual([]);
  });

  it('are free if it failed or was stopped, since no conversation follows', async () => {
    const { gpus, on, heldBy, ours, theirs } = await sharedBox(hosts);
    await runToEnd(ours, { ...on('exit 3', gpus[0]), ...LONG, awaitsConversation: true });
    const stopped = { ...on('echo up; sleep 4876', gpus[0]), ...LONG, awaitsConversation: true };
    await expect.poll(() => heldBy(theirs)).toEqual([]);
    await ours.launch({ ...stopped, jobId: `${stopped.jobId}-stopped` });
    await ours.kill({ ...stopped, jobId: `${stopped.jobId}-stopped` }, stopped.fence);
    await expect.poll(() => heldBy(theirs)).toEqual([]);
  });

  it('are free if it is lost, and are held by no process of it', async () => {
    const { sshd, gpus, on, heldBy, ours, theirs } = await sharedBox(hosts);
    const run = { ...on(TELLS_OPEN, gpus[0]), ...LONG, awaitsConversation: true };
    await ours.launch(run);
    await killSupervisor(sshd, 'ours');
    await expect.poll(async () => (await ours.inspect(run)).state).toBe('lost');
    await expect.poll(() => heldBy(theirs)).toEqual([]);
    await ours.kill(run, run.fence);
  });
});
