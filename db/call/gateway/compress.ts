import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, brotliDecompress, brotliDecompressSync, constants } from 'node:zlib';

const compressBytes = promisify(brotliCompress);
const decompressBytes = promisify(brotliDecompress);

/** Fast: the highest quality takes a hundred times as long for a tenth less. */
const QUALITY = 5;

/** Most bytes that are compressed in this thread, in 0.2 ms: to pass them to another thread costs as much. */
const SMALL = 16_384;

/** Compresses a text. Lone surrogates become U+FFFD. */
export async function compress(text: string): Promise<Buffer> {
  const bytes = Buffer.from(text);
  const options = {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  };
  return bytes.length <= SMALL ? brotliCompressSync(bytes, options) : compressBytes(bytes, options);
}

/** Decompresses a text; null if it has more than `most` bytes: a few kilobytes may hold gigabytes. */
export async function decompress(body: Buffer, most: number): Promise<string | null> {
  const options = { maxOutputLength: Math.max(1, most) };
  try {
    return (
      body.length <= SMALL ? brotliDecompressSync(body, options) : await decompressBytes(body, options)
    ).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}

/** SHA-256 of a text, in base64url. */
export const hashText = (text: string): string => createHash('sha256').update(text).digest('base64url');
