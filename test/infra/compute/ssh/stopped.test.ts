import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../../../infra/compute.ts';
import { ConnectionLostError } from '../../../../infra/compute/ssh/connection.ts';
import { signalAll } from '../../../support/signal.ts';
import { noSshd } from '../../../support/sshd.ts';
import { bytes, followToEnd } from '../conformance/support.ts';
import { testHosts } from './hosts.ts';
import { LONG, sharedBox } from './shared-box.ts';

const hosts = testHosts();

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

describe.skipIf(noSshd !== undefined)(`a conversation ${noSshd ?? ''}`, () => {
  it.each([
    ['shell above its supervisor is', 'talk_run', 0],
    ['shell above its supervisor, and who watches its connection, are', 'talk_run', 2],
    ['locks of its GPUs are', 'flock', 0],
  ])('whose %s stopped there is over once it is stopped, and leaves nothing, each time', async (_, word, which) => {
    const { sshd, gpus, on, heldBy, ours, theirs } = await sharedBox(hosts);
    const run = { ...on('true', ...gpus), ...LONG };
    await ours.launch(run);
    await followToEnd(ours, run);
    // More often than a connection has places for conversations.
    for (let times = 0; times < 4; times += 1) {
      const talk = await ours.converse({ ...run, command: 'cat' });
      expect(await answer(talk)).toBe('now\n');
      const keepers = keepersOf(sshd.home, word).sort((a, b) => a - b);
      expect(keepers.length).toBeGreaterThan(0);
      signalAll(which === 0 ? keepers.slice(0, 1) : keepers, 'SIGSTOP');
      await talk.stop();
      expect([keepersOf(sshd.home, 'talk_run'), keepersOf(sshd.home, 'flock')]).toEqual([[], []]);
      expect(await heldBy(theirs)).toEqual([]);
      expect(await talk.ended).toMatchObject({ reason: 'killed', endedBy: 'stop', treeGone: true });
    }
  });

  it('whose host never closes its channel, and has nothing left of it, is lost once it is stopped', async () => {
    const { sshd, gpus, on, ours } = await sharedBox(hosts);
    const run = { ...on('true', gpus[0]), ...LONG };
    await ours.launch(run);
    await followToEnd(ours, run);
    const talk = await ours.converse({ ...run, command: 'cat' });
    expect(await answer(talk)).toBe('now\n');
    const keepers = keepersOf(sshd.home, 'talk_run');
    signalAll(keepers, 'SIGSTOP');
    // Nobody there knows them any more, as after a full disk.
    const runs = join(sshd.home, '.perpetua-host/runs');
    for (const file of readdirSync(runs, { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('/keepers')) rmSync(join(runs, file));
    await talk.stop();
    await expect(talk.ended).rejects.toBeInstanceOf(ConnectionLostError);
    signalAll(keepers);
  });
});
