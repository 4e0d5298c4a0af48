import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

/** Copies a file, of any size, to a new one and returns the SHA-256 of what was written; it is on the disk then. */
export async function copyHashed(from: string, to: string): Promise<string> {
  const hash = createHash('sha256');
  const target = await open(to, 'wx');
  const source = createReadStream(from);
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk);
      await target.writeFile(chunk);
    }
    await target.sync();
  } finally {
    source.destroy();
    await target.close();
  }
  return hash.digest('hex');
}
