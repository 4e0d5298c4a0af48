import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ClientChannel } from 'ssh2';
import { expect, it } from 'vitest';
import { ConnectionLostError } from '../../../../../infra/compute/ssh/connection/connection.ts';
import { writerTo } from '../../../../../infra/compute/ssh/channel/writer.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

type Done = (error?: Error) => void;
const channelWith = (write: (chunk: Uint8Array, done: Done) => void) => ({ write }) as unknown as ClientChannel;

it('keeps no reference to written chunks while the channel lasts', async () => {
  const finished = new Promise<void>(() => undefined);
  const write = writerTo(
    channelWith((_, done) => void setImmediate(done)),
    { finished, host: 'box' },
  );
  const written: WeakRef<Uint8Array>[] = [];
  for (let times = 0; times < 100; times += 1) {
    const chunk = new Uint8Array(64 * 1024);
    written.push(new WeakRef(chunk));
    await write(chunk);
  }
  const kept = (): number => {
    gc();
    return written.filter((chunk) => chunk.deref() !== undefined).length;
  };
  // The last chunk may still be on a stack.
  await expect.poll(kept).toBeLessThan(5);
});

it('fails a waiting write, and each later write, once the program has ended', async () => {
  let end = (): void => undefined;
  const finished = new Promise<void>((resolve) => (end = resolve));
  const write = writerTo(
    channelWith(() => undefined),
    { finished, host: 'box' },
  );
  const waiting = expect(write(new Uint8Array(1))).rejects.toBeInstanceOf(ConnectionLostError);
  end();
  await waiting;
  await expect(write(new Uint8Array(1))).rejects.toBeInstanceOf(ConnectionLostError);
});
