import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Reads a file that a person named, of at most `mostBytes`. Throws if it is no regular file: reading a pipe could block
 * forever, and a device may be endless.
 */
export async function readPlain(file: string, mostBytes: number): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error(`expected a plain file, got ${kindOf(found)}`);
    const chunks: Buffer[] = [];
    // Does not rely on the size: it is 0 for files of the kernel, and a file may grow.
    for await (const chunk of handle.createReadStream({ end: mostBytes, autoClose: false }))
      chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    if (bytes.length > mostBytes) throw new Error(`expected at most ${mostBytes} bytes, got more`);
    return bytes;
  } finally {
    await handle.close();
  }
}

function kindOf(found: { isDirectory(): boolean; isFIFO(): boolean; isSocket(): boolean }): string {
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a pipe';
  return found.isSocket() ? 'a socket' : 'a device';
}
