import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { etagOf } from '../page/assets.ts';

/** An answer as it is sent, made once for all tabs that share it. */
export interface EncodedAnswer {
  /** JSON. */
  text: string;
  etag: string;
  /** The text, compressed at the first call. */
  gzipped: () => Promise<Uint8Array<ArrayBuffer>>;
}

const compress = promisify(gzip);
/** Level of the compression: a higher one takes three times as long, and saves a tenth of the bytes. */
const LEVEL = 1;

/** Encodes data as JSON. Answers that differ in `now` only have the same ETag. */
export function encodeAnswer(data: unknown): EncodedAnswer {
  const text = JSON.stringify(data);
  const hasNow = typeof data === 'object' && data !== null && 'now' in data;
  let compressed: Promise<Uint8Array<ArrayBuffer>> | undefined;
  return {
    text,
    etag: etagOf(hasNow ? JSON.stringify({ ...data, now: undefined }) : text),
    gzipped: () => (compressed ??= compress(text, { level: LEVEL }).then((bytes) => new Uint8Array(bytes))),
  };
}
