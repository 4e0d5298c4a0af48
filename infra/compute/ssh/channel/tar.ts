import { requireInsidePath } from '../../../files.ts';

/** One file of a stream; `mode` as in chmod, default: 0o644. */
export interface Entry {
  path: string;
  content: Uint8Array;
  mode?: number;
}

const BLOCK = 512;
/** Name of the last file of every stream. Without it, a stream that was cut between two files would look whole. */
const WHOLE = 'whole';

/**
 * Generates a tar stream of plain files that GNU, busybox and BSD tar read. Throws on a path that leads out of the
 * folder, and on control characters in a path, since lists of paths on the host have one path a line.
 */
export function* tarOf(entries: Iterable<Entry>): Generator<Buffer> {
  for (const entry of entries) yield* fileIn(requirePlainPath(entry.path), entry.content, entry.mode ?? 0o644);
  yield* fileIn(WHOLE, Buffer.alloc(0), 0o600);
  yield Buffer.alloc(2 * BLOCK);
}

/** Returns a path inside a workspace unchanged; throws if it leads out, or is not one line of text. */
export function requirePlainPath(path: string): string {
  if (/[\x00-\x1f\x7f]/.test(requireInsidePath(path)))
    throw new Error(`file path: expected no control characters on a host of SSH; got ${JSON.stringify(path)}`);
  return path;
}

function* fileIn(path: string, content: Uint8Array, mode: number): Generator<Buffer> {
  const name = Buffer.from(path);
  if (name.length > 100) {
    // GNU's form of a long name: an entry of its own, before the file's.
    const long = Buffer.concat([name, Buffer.alloc(1)]);
    yield header(Buffer.from('././@LongLink'), { size: long.length, mode: 0o644, type: 'L' });
    yield* padded(long);
  }
  yield header(name.subarray(0, 100), { size: content.length, mode, type: '0' });
  yield* padded(content);
}

function* padded(content: Uint8Array): Generator<Buffer> {
  if (content.length > 0) yield Buffer.from(content.buffer, content.byteOffset, content.length);
  const rest = content.length % BLOCK;
  if (rest > 0) yield Buffer.alloc(BLOCK - rest);
}

function header(name: Buffer, { size, mode, type }: { size: number; mode: number; type: string }): Buffer {
  const block = Buffer.alloc(BLOCK);
  name.copy(block, 0);
  const octal = (value: number, at: number, length: number): void => {
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  };
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write('        ', 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar  \0', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
