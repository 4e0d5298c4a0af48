import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Conversation } from '../../../../infra/compute.ts';
import { signalAll } from '../../../support/process/signal.ts';
import { noSshd } from '../../../support/machine/sshd.ts';
import { bytes, followToEnd } from '../conformance/support.ts';
import { testHosts } from './support/hosts.ts';
import { LONG, sharedBox } from './support/shared-box.ts';

const hosts = testHosts();

const pidsOf = (words: string): number[] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === words ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });

/** Pids of processes with a path in the home and the word as arguments; a program without a sandbox can stop them. */
const keepersOf = (home: string, word: string): number[] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words.some((text) => text.startsWith(home)) && words.includes(word) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });

const answer = async (talk: Conversation): Promise<string> => {
  await talk.write(bytes('now\n'));
  return Buffer.from((await talk.output[Symbol.asyncIterator]().next()).value as Uint8Array).toString();
};

/** Starts conversations with a run on a host of its own, which hold all its GPUs. */
async function talking(command: string) {
  const { sshd, gpus, on, heldBy, ours, theirs } = await sharedBox(hosts);
  const run = { ...on('true', ...gpus), ...LONG };
  await ours.launch(run);
  await followToEnd(ours, run);
  const keepers = (word: string) => keepersOf(sshd.home, word).sort((a, b) => a - b);
  // The lock of the run itself is released a moment after the end of the run.
  await expect.poll(() => keepers('flock')).toEqual([]);
  onTestFinished(() => signalAll([...keepers('talk_run'), ...keepers('flock')]));
  const begin = async (worker = ours): Promise<Conversation> => {
    const talk = await worker.converse({ ...run, command });
    expect(await answer(talk)).toBe('now\n');
    return talk;
  };
  const expectNothingLeft = async (): Promise<void> => {
    expect([keepers('talk_run'), keepers('flock')]).toEqual([[], []]);
    expect(await heldBy(theirs)).toEqual([]);
  };
  return { sshd, ours, run, begin, keepers, expectNothingLeft };
}

const ENDED = { reason: 'killed', endedBy: 'stop', treeGone: true };

describe.skipIf(noSshd !== undefined)(`a conversation ${noSshd ?? ''}`, () => {
  it.each([
    ['the shell above its supervisor', 'talk_run', 1],
    ['the shell above its supervisor and the watcher of its connection', 'talk_run', 2],
    ['the locks of its GPUs', 'flock', 1],
  ])('with a SIGSTOP to %s is over after stop(), and leaves nothing, each time', async (_, word, many) => {
    const { begin, keepers, expectNothingLeft } = await talking('cat');
    // More conversations than a connection has channels for.
    for (let times = 0; times < 4; times += 1) {
      const talk = await begin();
      expect(keepers(word).length).toBeGreaterThanOrEqual(many);
      signalAll(keepers(word).slice(0, many), 'SIGSTOP');
      await talk.stop();
      await expectNothingLeft();
      expect(await talk.ended).toMatchObject(ENDED);
    }
  });

  it.each([
    ['the next conversation with the run', async (begin: () => Promise<Conversation>) => (await begin()).stop()],
    ['the removal of the run', async (_: unknown, remove: () => Promise<unknown>) => remove()],
  ])('with a SIGSTOP to its keepers and a dead worker leaves nothing after %s', async (_, next) => {
    const { sshd, ours, run, begin, keepers, expectNothingLeft } = await talking('cat');
    const talk = await begin();
    signalAll([...keepers('talk_run').slice(0, 1), ...keepers('flock').slice(0, 1)], 'SIGSTOP');
    ours.close();
    await expect(talk.ended).rejects.toThrow('the connection was closed here');
    const another = hosts.connect(sshd, { installation: 'ours' });
    await next(
      () => begin(another),
      () => another.remove(run),
    );
    await expectNothingLeft();
  });

  it('whose host never closes its channel is over once its supervisor has reported the end', async () => {
    const { sshd, begin, keepers } = await talking('cat');
    const talk = await begin();
    signalAll(keepers('talk_run'), 'SIGSTOP');
    // The host has lost the list of keepers, as after a full disk.
    const runs = join(sshd.home, '.perpetua-host/runs');
    for (const file of readdirSync(runs, { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('/keepers')) rmSync(join(runs, file));
    await talk.stop();
    expect(await talk.ended).toMatchObject(ENDED);
  });

  it('that its host cannot end frees its channel, each time', async () => {
    const { sshd, begin } = await talking('cat');
    await (await begin()).stop();
    const scripts = join(sshd.home, '.perpetua-host/bin');
    const script = join(scripts, readdirSync(scripts).find((name) => name.startsWith('host-')) ?? '');
    writeFileSync(script, readFileSync(script, 'utf8').replace('verb_talk_stop() {', "$&\n  fail host 'it stays'"));
    for (let times = 0; times < 4; times += 1) {
      const talk = await begin();
      await expect(talk.stop()).rejects.toThrow('it stays');
      expect(await talk.ended).toMatchObject({ treeGone: true });
    }
  });

  it('whose channel an escaped process holds open frees it, each time', async () => {
    const { begin } = await talking('sleep 4903 & cat');
    const holders: number[] = [];
    onTestFinished(() => holders.forEach((descriptor) => closeSync(descriptor)));
    // More conversations than a connection has sessions.
    for (let times = 0; times < 12; times += 1) {
      const talk = await begin();
      await expect.poll(() => pidsOf('sleep\x004903\0')).toHaveLength(1);
      const [escaped] = pidsOf('sleep\x004903\0');
      holders.push(openSync(`/proc/${escaped}/fd/1`, 'a'));
      await talk.stop();
      expect(await talk.ended).toMatchObject(ENDED);
    }
  });
});
