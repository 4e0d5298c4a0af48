import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ConnectionLostError } from '../../../../infra/compute/ssh/connection/connection.ts';
import { markedProcesses } from '../../../support/process/marked-processes.ts';
import { signalAll } from '../../../support/process/signal.ts';
import { noSshd } from '../../../support/machine/sshd.ts';
import { followToEnd, specOf } from '../conformance/support.ts';
import { testHosts } from './support/hosts.ts';
import { boxes } from './support/stepped.ts';

const box = boxes(testHosts());

describe.skipIf(noSshd !== undefined)(`the host of a conversation ${noSshd ?? ''}`, () => {
  it('is reached behind the output of its program, and not once its connection is lost', async () => {
    const { sshd, compute } = await box();
    const spec = specOf('true');
    await compute.launch(spec);
    await followToEnd(compute, spec);
    const talk = await compute.converse({ ...spec, command: 'sleep 1.4897; echo said; sleep 4897' });
    const reach = talk.roundTrip ?? expect.fail('a host that is never reached');
    await reach();
    const sleepers = (seconds: string) => markedProcesses(`sleep\x00${seconds}\x00`);
    // Before it starts the command, the process belongs to sshd, too, which is stopped next.
    await expect.poll(() => sleepers('1.4897'), { interval: 10 }).toHaveLength(1);
    signalAll(sshd.sessions(), 'SIGSTOP');
    let isBack = false;
    const back = reach().then(() => (isBack = true));
    await expect.poll(() => sleepers('4897')).toHaveLength(1);
    expect(isBack).toBe(false);
    const answers = talk.output[Symbol.asyncIterator]();
    let answer = '';
    void answers.next().then(({ value }) => (answer = Buffer.from(value as Uint8Array).toString()));
    signalAll(sshd.sessions(), 'SIGCONT');
    await back;
    expect(answer).toBe('said\n');
    const gone = expect(Promise.all([1, 2].map(() => sleep(1).then(reach)))).rejects.toBeInstanceOf(
      ConnectionLostError,
    );
    signalAll(sshd.sessions(), 'SIGSTOP');
    sshd.cut();
    await gone;
    await expect(reach()).rejects.toBeInstanceOf(ConnectionLostError);
    await talk.stop().catch(() => undefined);
  });
});
