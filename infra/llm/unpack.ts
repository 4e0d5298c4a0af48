import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';

/** Encodings that `unpack` reads, as a request lists them. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/** The answer exceeds the limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
  constructor(maxBytes: number) {
    super(`expected at most ${maxBytes} bytes of answer, got more`);
  }
}

/** An answer is compressed in a way that cannot be read. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

type Unpacker = (packed: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const UNPACKERS: Record<string, Unpacker> = {
  gzip: promisify(gunzip),
  // Servers send both forms under this name; a header of zlib begins with the method 8.
  deflate: (packed, options) => promisify(((packed[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw)(packed, options),
  br: promisify(brotliDecompress),
};

const isGzip = (packed: Buffer): boolean => packed[0] === 0x1f && packed[1] === 0x8b;

/**
 * Unpacks a body by its Content-Encoding, to at most `maxBytes`. A gzip body without that header is unpacked, too, and
 * one that is not gzip despite the header is left as it is. Throws {@link BodyTooLargeError} or {@link EncodingError}.
 */
export async function unpack(body: Buffer, encoding: string | null, maxBytes: number): Promise<Buffer> {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim().replace(/^x-/, ''));
  let unpacked = body;
  for (const name of names.reverse()) {
    if (unpacked.length === 0 || name === '' || name === 'identity') continue;
    // Gateways that unpack an answer may leave the header in place.
    if (name === 'gzip' && !isGzip(unpacked)) continue;
    unpacked = await unpackOnce(unpacked, name, maxBytes);
  }
  return isGzip(unpacked) ? unpackOnce(unpacked, 'gzip', maxBytes) : unpacked;
}

async function unpackOnce(packed: Buffer, name: string, maxBytes: number): Promise<Buffer> {
  const unpacker = Object.hasOwn(UNPACKERS, name) ? UNPACKERS[name] : undefined;
  if (unpacker === undefined)
    throw new EncodingError(`expected an answer in ${ACCEPTED_ENCODINGS} or without compression, got ${name}`);
  try {
    return await unpacker(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new BodyTooLargeError(maxBytes);
    throw new EncodingError(`cannot unpack an answer in ${name}: ${error instanceof Error ? error.message : code}`);
  }
}
