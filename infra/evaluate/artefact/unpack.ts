import { constants, createGunzip, createInflate, createInflateRaw, type Zlib } from 'node:zlib';
import type { Transform } from 'node:stream';
import type { Unpack } from '../../../domain/artefact/find-code.ts';

type Stream = Transform & Zlib;

// Without a final flush, content that is cut gives nothing.
const OPTIONS = { finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 256 * 1024 };
const STREAMS: Record<Parameters<Unpack>[0], () => Stream> = {
  gzip: () => createGunzip(OPTIONS),
  zlib: () => createInflate(OPTIONS),
  deflate: () => createInflateRaw(OPTIONS),
};

/** Unpacks content in pieces, outside the main thread, up to a number of bytes. */
export const unpack: Unpack = async (form, content, most) => {
  const stream = STREAMS[form]();
  const parts: Uint8Array[] = [];
  let size = 0;
  let isWhole = true;
  try {
    stream.end(content);
    for await (const part of stream as AsyncIterable<Uint8Array>) {
      parts.push(part);
      size += part.length;
      if (size >= most) break;
    }
  } catch {
    isWhole = false;
  } finally {
    stream.destroy();
  }
  // Bytes that follow the packed content are not read.
  isWhole &&= stream.bytesWritten === content.length;
  return { content: Buffer.concat(parts).subarray(0, most), isWhole };
};
