import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { frameReader, type Frame } from '../../../../../infra/compute/ssh/channel/frames.ts';
import { host, SHELLS } from '../support/host-call.ts';

/** Reason why no test here may mount its own /dev/shm; undefined: it may. */
const noOwnMemory =
  process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0
    ? undefined
    : '(a /dev/shm of its own needs root)';

/**
 * Starts a follower on a host whose /dev/shm, and whose folder for followers, have so many KiB.
 * Returns the follower and the frames that it sends, by type.
 */
function follow(box: ReturnType<typeof host>, size: { memory: number; scratch?: number }) {
  const mounts = [`mount -t tmpfs -o size=${size.memory}k tmpfs /dev/shm`];
  const folder = join(box.base, 'followers');
  mkdirSync(folder);
  if (size.scratch !== undefined) mounts.push(`mount -t tmpfs -o size=${size.scratch}k tmpfs "$FOLDER"`);
  const enter = ['--mount', 'sh', '-c', `${mounts.join(' && ')} && exec "$@"`, 'sh', ...box.words, 'follow'];
  const child = spawn('unshare', enter, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, FOLDER: folder },
  });
  const reader = frameReader('ab');
  const frames: Frame[] = [];
  child.stdout.on('data', (chunk: Buffer) => frames.push(...reader.push(chunk)));
  return { child, framesOf: (type: string) => frames.filter((frame) => frame.type === type) };
}

describe.skipIf(noOwnMemory !== undefined).each(SHELLS)(
  `a follower on a host whose memory is full, under %s ${noOwnMemory ?? ''}`,
  (shell) => {
    it('keeps its orders in the scratch folder, and reports', async () => {
      const on = host(shell);
      const control = join(on.runs, 'run.0', '1', 'ctl');
      mkdirSync(join(control, 'claim'), { recursive: true });
      writeFileSync(join(control, 'output'), 'hello\n');
      writeFileSync(join(control, 'ended.json'), '{}\n');
      const { child, framesOf } = follow(on, { memory: 64 });
      await expect.poll(() => framesOf('send')).toHaveLength(1);
      child.stdin.write('add 1 run.0 0 1000 output\n');
      await expect.poll(() => framesOf('out').map(({ payload }) => String(payload))).toEqual(['hello\n']);
      await expect.poll(() => framesOf('ended')).toHaveLength(1);
      child.stdin.end();
      await once(child, 'exit');
    });

    it('fails as a fault of the host if the scratch folder is full, too', async () => {
      const { child, framesOf } = follow(host(shell), { memory: 64, scratch: 64 });
      await once(child, 'close');
      expect(framesOf('send')).toEqual([]);
      expect(framesOf('fail')).toMatchObject([{ words: ['host'] }]);
      expect(String(framesOf('fail')[0]?.payload)).toMatch(/^expected 128 KiB of room in \/dev\/shm or in /);
    });
  },
);
