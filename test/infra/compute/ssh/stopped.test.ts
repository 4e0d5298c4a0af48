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

/** Processes of a host whose words name its folder and this; a program that nothing holds can stop them. */
const keepersOf = (home: string, word: string): number[] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words.some((one) => one.startsWith(home)) && words.includes(word) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });

const answer = async (talk: Conversation): Promise<string> => {
  await talk.write(bytes('now\n'));
  return Buffer.from((await talk.output[Symbol.asyncIterator]().next()).value as Uint8Array).toString();
};

/** A conversation under way with a run on a host of its own, which holds all its GPUs. */
async function talking(command: string) {
  const { sshd, gpus, on, heldBy, ours, theirs } = await sharedBox(hosts);
  const run = { ...on('true', ...gpus), ...LONG };
  await ours.launch(run);
  await followToEnd(ours, run);
  const keepers = (word: string) => keepersOf(sshd.home, word).sort((a, b) => a - b);
  // That of the run itself goes a moment after it.
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
    ['shell above its supervisor is', 'talk_run', 1],
    ['shell above its supervisor, and who watches its connection, are', 'talk_run', 2],
    ['locks of its GPUs are', 'flock', 1],
  ])('whose %s stopped there is over once it is stopped, and leaves nothing, each time', async (_, word, many) => {
    const { begin, keepers, expectNothingLeft } = await talking('cat');
    // More often than a connection has places for conversations.
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
    ['another one with that run', async (begin: () => Promise<Conversation>) => (await begin()).stop()],
    ['the removal of that run', async (_: unknown, remove: () => Promise<unknown>) => remove()],
  ])('whose keepers are stopped there, and whose worker dies, leaves nothing beyond %s', async (_, next) => {
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

  it('whose host closes no channel once nothing of it is left is over with what its supervisor said', async () => {
    const { sshd, begin, keepers } = await talking('cat');
    const talk = await begin();
    signalAll(keepers('talk_run'), 'SIGSTOP');
    // Nobody there knows them any more, as after a full disk.
    const runs = join(sshd.home, '.perpetua-host/runs');
    for (const file of readdirSync(runs, { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('/keepers')) rmSync(join(runs, file));
    await talk.stop();
    expect(await talk.ended).toMatchObject(ENDED);
  });

  it('that its host cannot end gives its place back, each time', async () => {
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

  it('whose channel is held by what escaped it gives its place back, each time', async () => {
    const { begin } = await talking('sleep 4903 & cat');
    const holders: number[] = [];
    onTestFinished(() => holders.forEach((one) => closeSync(one)));
    // More often than a connection has sessions.
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
