import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Compute } from '../../../../infra/compute.ts';
import { isRunning } from '../../../support/process/is-running.ts';
import { markedProcesses } from '../../../support/process/marked-processes.ts';
import { removeInUse } from '../../../support/process/remove-in-use.ts';
import { noProfile, noSshd } from '../../../support/machine/sshd.ts';
import { bytes, followToEnd, LIMITS, specOf, eventsOf } from '../conformance/support.ts';
import { testHosts } from './support/hosts.ts';
import { boxes, STEPS, workOf } from './support/stepped.ts';

const hosts = testHosts();
const { start, connect } = hosts;
const box = boxes(hosts);

/** Bytes that this process has read so far. */
const bytesRead = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

describe.skipIf(noSshd !== undefined)(`a difficult host ${noSshd ?? ''}`, () => {
  const echo = async (compute: Compute, text = 'hello'): Promise<string> => {
    // A slow machine takes long to build twenty sandboxes at once.
    const spec = specOf(`echo ${text}`, { limits: { ...LIMITS, wallSeconds: 300 } });
    await compute.launch(spec);
    return (await followToEnd(compute, spec)).text;
  };

  it.skipIf(noProfile !== undefined).each([
    ['prints a lot', 'i=0; while [ $i -lt 2000 ]; do echo "noise $i done 0 fail 0 host"; i=$((i+1)); done'],
    ['reads a line', 'read -r -t 0.2 line; echo "$line"'],
    ['sets options and a strange locale', 'set -f; shopt -s failglob; export LC_ALL=tr_TR.UTF-8 IFS=:; cd /tmp'],
    ['shows what it does', 'PS4="+ "; set -x'],
  ])(`works behind a profile that %s ${noProfile ?? ''}`, async (_, profile) => {
    const { compute } = await box({ profile: `${profile}\n` });
    expect(await echo(compute)).toBe('hello\n');
  });

  it.skipIf(noProfile !== undefined)(`refuses a profile that never ends its noise ${noProfile ?? ''}`, async () => {
    const sshd = await start({ profile: 'yes\n' });
    await expect(connect(sshd).inspect(specOf('true'))).rejects.toMatchObject({
      name: 'HostUnusableError',
      message: expect.stringContaining('login shell'),
    });
  });

  it('carries twenty runs at once over one connection, also where it allows three sessions', async () => {
    for (const options of [{}, { config: ['MaxSessions 3'] }]) {
      const { sshd, compute } = await box(options);
      const texts = await Promise.all(Array.from({ length: 20 }, (_, i) => echo(compute, `number ${i}`)));
      expect(texts).toEqual(texts.map((_, i) => `number ${i}\n`));
      // One connection has one process of sshd, and a second, unprivileged one if sshd runs as root.
      expect(sshd.sessions().length).toBeLessThanOrEqual(2);
    }
  });

  it('is refused, with the reason, if it allows one session only and a run there is followed', async () => {
    const { compute, scratch } = await box({ config: ['MaxSessions 1'] });
    const spec = specOf(STEPS, { sandbox: 'none' });
    await compute.launch(spec);
    const events = eventsOf(compute, spec)[Symbol.asyncIterator]();
    expect((await events.next()).value).toMatchObject({ type: 'output', offset: 0 });
    await expect(compute.machine()).rejects.toMatchObject({
      name: 'HostConfigError',
      message: expect.stringContaining('MaxSessions 1); allow at least five') as string,
    });
    for (const step of [0, 1, 2, 3]) writeFileSync(join(workOf(scratch, 'ssh-tests'), `go.${step}`), '');
    for await (const event of { [Symbol.asyncIterator]: () => events })
      if (event.type !== 'output') expect(event).toMatchObject({ type: 'ended' });
  });

  it('sends no output that nobody reads, and delays no other run', async () => {
    const { compute } = await box();
    const limits = { ...LIMITS, outputBytes: 40_000_000 };
    const flood = specOf('head -c 30000000 /dev/zero', { limits });
    await compute.launch(flood);
    await expect.poll(async () => (await compute.inspect(flood)).state).toBe('ended');
    const before = bytesRead();
    const stopped = eventsOf(compute, flood)[Symbol.asyncIterator]();
    await stopped.next();
    const spec = specOf('head -c 3000000 /dev/zero', { limits });
    await compute.launch(spec);
    expect((await followToEnd(compute, spec)).text).toHaveLength(3_000_000);
    expect(bytesRead() - before).toBeLessThan(8_000_000);
    await stopped.return(undefined);
  });

  it('frees the channels of conversations whose output nobody read', async () => {
    const { compute } = await box();
    const spec = specOf('true');
    await compute.launch(spec);
    await followToEnd(compute, spec);
    // More conversations than there are channels.
    for (let i = 0; i < 5; i += 1) await (await compute.converse({ ...spec, command: 'yes' })).stop();
  });

  it('keeps two installations apart that share its scratch folder', async () => {
    const { sshd, compute, scratch } = await box();
    const other = connect(sshd, { installation: 'others' });
    const spec = specOf('sleep 4801');
    await compute.launch(spec);
    expect(await other.inspect(spec)).toEqual({ state: 'absent' });
    await other.launch({ ...spec, command: 'echo other' });
    expect((await followToEnd(other, spec)).text).toBe('other\n');
    expect(await other.sweep({ keep: [], olderThanSeconds: 0, dryRun: false })).toMatchObject({ killed: [] });
    expect((await compute.inspect(spec)).state).toBe('running');
    expect(readdirSync(join(scratch, 'runs')).sort()).toEqual(['others', 'ssh-tests']);
    await compute.kill(spec, spec.fence);
  });

  it('ends a run whose folder is removed under it, and confirms that', async () => {
    const { compute, scratch } = await box();
    const specs = [specOf('sleep 4803'), specOf('sleep 4803')];
    for (const spec of specs) await compute.launch(spec);
    const sleepers = (): number[] => markedProcesses('sleep\x004803\x00');
    await expect.poll(sleepers).toHaveLength(2);
    await removeInUse(scratch);
    for (const spec of specs) {
      expect(await compute.inspect(spec)).toEqual({ state: 'absent' });
      await compute.kill(spec, spec.fence);
    }
    expect(sleepers()).toEqual([]);
  });

  it('ends a run whose folder is removed under it, even if nobody probes it again', async () => {
    const { compute, scratch } = await box();
    await compute.launch(specOf('sleep 4804', { limits: { ...LIMITS, wallSeconds: 3600 } }));
    await expect.poll(() => markedProcesses('sleep\x004804\x00')).toHaveLength(1);
    await removeInUse(scratch);
    await expect.poll(() => markedProcesses('sleep\x004804\x00'), { timeout: 60_000 }).toEqual([]);
  });

  it('ends all that a cancelled setup started', async () => {
    const { compute } = await box();
    const tree =
      `for how in "" setsid "env -i"; do $how /bin/sh -c 'echo $$; exec /bin/sleep 4802' & done; ` +
      `trap "" TERM HUP; wait`;
    const cancel = new AbortController();
    const started: number[] = [];
    const onOutput = (line: string): void => {
      started.push(Number(line));
      if (started.length === 3) cancel.abort();
    };
    await expect(compute.prepare('stage1', [tree], { onOutput, signal: cancel.signal })).rejects.toThrow('abort');
    expect(started.map(isRunning)).toEqual([false, false, false]);
    expect(await compute.isPrepared('stage1')).toBe(false);
  });

  const mounts = spawnSync('unshare', ['--mount', 'true']).status === 0 && process.getuid?.() === 0;

  it.runIf(mounts)('fails to stage if its disk is full, and still reports runs', async () => {
    const sshd = await start();
    const scratch = join(sshd.folder, 'small');
    mkdirSync(scratch);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', scratch]);
    try {
      const compute = connect(sshd, { scratch });
      await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
      const spec = specOf('echo early; sleep 4803', { limits: { ...LIMITS, wallSeconds: 60 } });
      await compute.launch(spec);
      const first = async (): Promise<string> => {
        for await (const event of eventsOf(compute, spec))
          return event.type === 'output' ? Buffer.from(event.chunk).toString() : event.type;
        return 'nothing';
      };
      expect(await first()).toBe('early\n');
      spawnSync('sh', ['-c', 'head -c 4000000 /dev/zero > "$1/fill"', 'sh', scratch]);
      const full = compute.stage('stage2', [{ path: 'big', content: Buffer.alloc(100_000) }]);
      await expect(full).rejects.toMatchObject({
        name: 'HostUnusableError',
        message: expect.stringContaining('space'),
      });
      expect(await first()).toBe('early\n');
      rmSync(join(scratch, 'fill'));
      await compute.stage('stage2', [{ path: 'big', content: Buffer.alloc(100_000) }]);
      expect(existsSync(join(scratch, 'stages', 'stage2', 'manifest'))).toBe(true);
      await compute.kill(spec, spec.fence);
      expect(readFileSync(join(scratch, 'stages', 'stage1', 'manifest'), 'utf8')).toContain('main.txt');
    } finally {
      execFileSync('umount', ['-l', scratch]);
    }
  });
});
