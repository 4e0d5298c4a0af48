import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunSpec } from '../../../../../infra/compute.ts';
import { isRunning } from '../../../../support/process/is-running.ts';
import { signalAll } from '../../../../support/process/signal.ts';
import { noSshd, type Sshd } from '../../../../support/machine/sshd.ts';
import { bytes, followToEnd, LIMITS, never, specOf, eventsOf } from '../../conformance/support.ts';
import { testHosts } from '../support/hosts.ts';
import { boxes, readIfThere, STEPS, workOf } from '../support/stepped.ts';

const box = boxes(testHosts());

const isSleeper = (pid: string): boolean =>
  /^\d+$/.test(pid) && readIfThere(`/proc/${pid}/cmdline`) === 'sleep\x004800\x00';
/** Pids of the processes at the host's end of channels that report runs. */
const followersOf = (scratch: string): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && readIfThere(`/proc/${pid}/cmdline`)?.endsWith('\0follow\0'))
    .filter((pid) => readIfThere(`/proc/${pid}/cmdline`)?.includes(`${scratch}/bin/`))
    .map(Number);
/** Changes the owner of a claim as if its supervisor had started before the last boot of the host. */
const ageBoot = (control: string): void => {
  const owner = join(control, 'claim/owner');
  writeFileSync(owner, readFileSync(owner, 'utf8').replace(/[0-9a-f-]{36}/, '00000000-0000-0000-0000-000000000000'));
};

describe.skipIf(noSshd !== undefined)(`faults of a connection ${noSshd ?? ''}`, () => {
  it.each([
    ['its connection is cut', async (sshd: Sshd) => sshd.cut()],
    ['its connection stands still', async (sshd: Sshd) => signalAll(sshd.sessions(), 'SIGSTOP')],
    ['its sshd dies and comes back', (sshd: Sshd) => sshd.stop().then(() => sshd.start())],
  ])('a run is followed without a lost or doubled byte though %s at every line', async (_, hurt) => {
    const { sshd, compute, scratch } = await box({}, { aliveSeconds: 0.5 });
    const spec = specOf(STEPS, { sandbox: 'none' });
    await compute.launch(spec);
    let text = '';
    for await (const event of eventsOf(compute, spec)) {
      if (event.type !== 'output') {
        expect(event).toMatchObject({ type: 'ended', end: { reason: 'exit', exitCode: 0 } });
        break;
      }
      expect(event.offset).toBe(text.length);
      text += Buffer.from(event.chunk).toString();
      expect(sshd.sessions().length).toBeGreaterThan(0);
      await hurt(sshd);
      writeFileSync(join(workOf(scratch, 'ssh-tests'), `go.${text.trim().split('\n').length - 1}`), '');
    }
    expect(text).toBe('line 0\nline 1\nline 2\nline 3\n');
  });

  it("a run is followed without a lost or doubled byte though the host's end of its channel hangs", async () => {
    const { compute, scratch } = await box({}, { silenceSeconds: 4 });
    const spec = specOf(STEPS, { sandbox: 'none' });
    await compute.launch(spec);
    const hung: number[] = [];
    let text = '';
    try {
      for await (const event of eventsOf(compute, spec)) {
        if (event.type !== 'output') {
          expect(event).toMatchObject({ type: 'ended', end: { reason: 'exit', exitCode: 0 } });
          break;
        }
        expect(event.offset).toBe(text.length);
        text += Buffer.from(event.chunk).toString();
        if (hung.length > 0) continue;
        hung.push(...followersOf(scratch));
        signalAll(hung, 'SIGSTOP');
        for (const step of [0, 1, 2, 3]) writeFileSync(join(workOf(scratch, 'ssh-tests'), `go.${step}`), '');
      }
    } finally {
      signalAll(hung);
    }
    expect(hung.length).toBeGreaterThan(0);
    expect(text).toBe('line 0\nline 1\nline 2\nline 3\n');
  });

  it('a run that ended is marked if its host was rebooted since, which may have ended it', async () => {
    const { compute, scratch } = await box();
    const spec = specOf('exit 3', { sandbox: 'none' });
    await compute.launch(spec);
    await followToEnd(compute, spec);
    expect(await compute.collect(spec, { artefacts: [] })).toMatchObject({ rebooted: false });
    ageBoot(join(workOf(scratch, 'ssh-tests'), '../ctl'));
    expect(await compute.collect(spec, { artefacts: [] })).toMatchObject({ rebooted: true, end: { exitCode: 3 } });
  });

  it.each([true, false])('so is the program of a conversation (booted: %s)', async (booted) => {
    const { compute, scratch } = await box();
    const spec = specOf('true', { sandbox: 'none' });
    await compute.launch(spec);
    await followToEnd(compute, spec);
    const talk = await compute.converse({ ...spec, command: 'echo up; read -r n; exit 3' });
    await talk.output[Symbol.asyncIterator]().next();
    const attempt = join(workOf(scratch, 'ssh-tests'), '..');
    const [name = ''] = readdirSync(attempt).filter((entry) => entry.startsWith('talk-'));
    if (booted) ageBoot(join(attempt, name, 'ctl'));
    await talk.write(bytes('1\n'));
    const { exitCode, rebooted } = await talk.ended;
    expect([exitCode, rebooted]).toEqual([3, booted || undefined]);
  });

  it('a flood is followed without a lost or doubled byte over many cuts', async () => {
    const { sshd, compute } = await box();
    const spec = specOf('seq 1 400000', { limits: { ...LIMITS, outputBytes: 10_000_000 } });
    await compute.launch(spec);
    const parts: Uint8Array[] = [];
    let taken = 0;
    for await (const event of eventsOf(compute, spec)) {
      if (event.type !== 'output') break;
      expect(event.offset).toBe(taken);
      taken += event.chunk.length;
      parts.push(event.chunk);
      if (parts.length % 12 === 5) sshd.cut();
    }
    const whole = Array.from({ length: 400_000 }, (_, i) => `${i + 1}\n`).join('');
    expect(Buffer.concat(parts).toString() === whole).toBe(true);
  });

  it('a host that stays away counts as unreachable, and its run is followed on once it is back', async () => {
    const { sshd, compute, scratch } = await box({}, { patienceSeconds: 0 });
    const spec = specOf(STEPS, { sandbox: 'none' });
    await compute.launch(spec);
    const events = eventsOf(compute, spec)[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ type: 'output', offset: 0 });
    await sshd.stop();
    await expect(events.next()).rejects.toMatchObject({ name: 'HostUnreachableError', reason: 'refused' });
    await sshd.start();
    for (const step of [0, 1, 2, 3]) writeFileSync(join(workOf(scratch, 'ssh-tests'), `go.${step}`), '');
    expect(await followToEnd(compute, spec, 7)).toMatchObject({
      text: 'line 1\nline 2\nline 3\n',
      end: { exitCode: 0 },
    });
  });

  it('a host that refuses our key in mid-run fails so, and its run is followed on once it accepts it', async () => {
    const { sshd, compute, scratch } = await box();
    const spec = specOf(STEPS, { sandbox: 'none' });
    await compute.launch(spec);
    const events = eventsOf(compute, spec)[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ type: 'output', offset: 0 });
    const authorized = join(sshd.folder, 'authorized');
    const keys = readFileSync(authorized);
    writeFileSync(authorized, '');
    sshd.cut();
    await expect(events.next()).rejects.toMatchObject({ name: 'HostAuthError' });
    writeFileSync(authorized, keys);
    for (const step of [0, 1, 2, 3]) writeFileSync(join(workOf(scratch, 'ssh-tests'), `go.${step}`), '');
    expect(await followToEnd(compute, spec, 7)).toMatchObject({
      text: 'line 1\nline 2\nline 3\n',
      end: { exitCode: 0 },
    });
  });

  it('a launch that is cut at any moment starts its run once', async () => {
    const { sshd, compute } = await box();
    const cut = async (): Promise<void> => {
      for (let i = 0; i < 12; i += 1) {
        await new Promise((resolve) => setTimeout(resolve, 40 * i));
        sshd.cut();
      }
    };
    // Each run has a slot of its own: the end of a run kills all processes of its slot's user.
    const specs = Array.from({ length: 6 }, (_, index) =>
      specOf('echo started', { slot: { id: `slot-${index}`, pool: 'local', index, gpu: null } }),
    );
    const launched = (spec: RunSpec): Promise<void> =>
      compute.launch(spec).catch((error: unknown) => {
        expect(error).toMatchObject({ name: 'HostUnreachableError' });
        return launched(spec);
      });
    await Promise.all([cut(), ...specs.map(launched)]);
    for (const spec of specs) expect((await followToEnd(compute, spec)).text).toBe('started\n');
  });

  it('a setup whose connection is cut continues, and runs once', async () => {
    const { sshd, compute, scratch } = await box();
    const lines: string[] = [];
    const onOutput = (line: string): void => {
      lines.push(line);
      sshd.cut();
      writeFileSync(join(scratch, 'stages', 'stage1', 'files', `go.${lines.length - 1}`), '');
    };
    await compute.prepare('stage1', [STEPS, 'echo "line 4"'], { onOutput, signal: never });
    expect(lines).toEqual(['line 0', 'line 1', 'line 2', 'line 3', 'line 4']);
    // The log stays on the host, for its user.
    expect(readFileSync(join(scratch, 'stages', 'stage1', 'setup.log'), 'utf8')).toBe(`${lines.join('\n')}\n`);
    expect(await compute.isPrepared('stage1')).toBe(true);
  });

  it('a conversation ends with its connection, though the program ignores that', async () => {
    const { sshd, compute } = await box();
    const spec = specOf('true', { sandbox: 'none' });
    await compute.launch(spec);
    await followToEnd(compute, spec);
    const command = `trap '' TERM HUP PIPE; cat /proc/self/stat; while :; do sleep 4800; done`;
    const talk = await compute.converse({ ...spec, command });
    await talk.output[Symbol.asyncIterator]().next();
    const sleepers = (): number[] => readdirSync('/proc').filter(isSleeper).map(Number);
    await expect.poll(sleepers).toHaveLength(1);
    const [sleeper = 0] = sleepers();
    sshd.cut();
    await expect(talk.ended).rejects.toMatchObject({ name: 'HostUnreachableError', reason: 'closed' });
    await expect.poll(() => isRunning(sleeper)).toBe(false);
  });
});
