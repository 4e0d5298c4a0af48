import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { SinkOf } from '../../domain/notify/sink.ts';
import { SinkError, type SinkAdapter } from './sink-adapter.ts';

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR, O_NONBLOCK } = constants;
const NEW_LINE = 10;

/** Appends a message to a file, as a line of JSON. */
export const file: SinkAdapter<SinkOf<'file'>> = ({ path }, notice) => {
  const line = JSON.stringify(notice);
  return Promise.resolve({ shown: [`append to ${path}`, line], secrets: [], send: () => append(path, line) });
};

async function append(path: string, line: string): Promise<string> {
  // O_NONBLOCK: a pipe without a reader would block for ever.
  const target = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const info = await target.stat();
    if (!info.isFile()) throw new SinkError(`expected ${path} to be a file`);
    if ((info.mode & 0o077) !== 0)
      throw new SinkError(`expected only the owner to be able to read ${path}; run: chmod 600 ${path}`);
    const last = Buffer.alloc(1);
    const { bytesRead } = info.size === 0 ? { bytesRead: 0 } : await target.read(last, 0, 1, info.size - 1);
    // A writer that died within a line left it open.
    const begin = bytesRead === 1 && last[0] !== NEW_LINE ? '\n' : '';
    await target.appendFile(`${begin}${line}\n`);
    await target.datasync();
    return `appended ${Buffer.byteLength(line) + 1} bytes`;
  } finally {
    await target.close();
  }
}
