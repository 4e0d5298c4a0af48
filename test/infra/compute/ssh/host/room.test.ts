import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { frameReader, type Frame } from '../../../../../infra/compute/ssh/channel/frames.ts';
import { host, SHELLS } from '../support/host-call.ts';

/** Why nobody here may have a /dev/shm of their own; undefined where they may. */
const noOwnMemory =
  process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0
    ? undefined
    : '(a /dev/shm of its own needs root)';

/** Starts a follower where memory, and its scratch folder's place for followers, have so many KiB; tells what it says first. */
function follow(on: ReturnType<typeof host>, size: { memory: number; scratch?: number }) {
  const mounts = [`mount -t tmpfs -o size=${size.memory}k tmpfs /dev/shm`];
  const own = join(on.base, 'followers');
  mkdirSync(own);
  if (size.scratch !== undefined) mounts.push(`mount -t tmpfs -o size=${size.scratch}k tmpfs "$OWN"`);
  const enter = ['--mount', 'sh', '-c', `${mounts.join(' && ')} && exec "$@"`, 'sh', ...on.words, 'follow'];
  const child = spawn('unshare', enter, { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, OWN: own } });
  const reader = frameReader('ab');
  const heard: Frame[] = [];
  child.stdout.on('data', (chunk: Buffer) => heard.push(...reader.push(chunk)));
  return { child, said: (type: string) => heard.filter((frame) => frame.type === type) };
}

describe.skipIf(noOwnMemory !== undefined).each(SHELLS)(
  `where memory is full, under %s ${noOwnMemory ?? ''}`,
  (shell) => {
    it('a follower keeps its orders in the scratch folder, and reports', async () => {
      const on = host(shell);
      const control = join(on.runs, 'run.0', '1', 'ctl');
      mkdirSync(join(control, 'claim'), { recursive: true });
      writeFileSync(join(control, 'output'), 'hello\n');
      writeFileSync(join(control, 'ended.json'), '{}\n');
      const { child, said } = follow(on, { memory: 64 });
      await expect.poll(() => said('send')).toHaveLength(1);
      child.stdin.write('add 1 run.0 0 1000 output\n');
      await expect.poll(() => said('out').map(({ payload }) => String(payload))).toEqual(['hello\n']);
      await expect.poll(() => said('ended')).toHaveLength(1);
      child.stdin.end();
      await once(child, 'exit');
    });

    it('and the scratch folder is full, too, it is the host that cannot be used', async () => {
      const { child, said } = follow(host(shell), { memory: 64, scratch: 64 });
      await once(child, 'close');
      expect(said('send')).toEqual([]);
      expect(said('fail')).toMatchObject([{ words: ['host'] }]);
      expect(String(said('fail')[0]?.payload)).toMatch(/^expected 128 KiB of room in \/dev\/shm or in /);
    });
  },
);
