import { SHORTEST_REDACTED } from '../llm/key.ts';

/** Replaces a key in passing bytes. It keeps back only bytes that may be the start of a key. */
export interface KeyFilter {
  feed: (chunk: Buffer) => Buffer;
  /** The bytes that were kept back. */
  end: () => Buffer;
}

const NOTHING: Buffer = Buffer.alloc(0);

/** Makes a filter for one answer. A replaced key keeps its length, so that the answer does, too. */
export function createKeyFilter(key: string | null): KeyFilter {
  if (key === null || key.length < SHORTEST_REDACTED) return { feed: (chunk) => chunk, end: () => NOTHING };
  const sought = Buffer.from(key);
  const stars = Buffer.alloc(sought.length, '*');
  let held = NOTHING;
  return {
    feed: (chunk) => {
      let bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      for (let at = bytes.indexOf(sought); at >= 0; at = bytes.indexOf(sought, at + sought.length))
        bytes = Buffer.concat([bytes.subarray(0, at), stars, bytes.subarray(at + sought.length)]);
      const kept = lengthOfStart(bytes, sought);
      held = bytes.subarray(bytes.length - kept);
      return bytes.subarray(0, bytes.length - kept);
    },
    end: () => held,
  };
}

/** Length of the longest end of `bytes` with which a key may begin. */
function lengthOfStart(bytes: Buffer, key: Buffer): number {
  const from = Math.max(0, bytes.length - key.length + 1);
  for (let at = bytes.indexOf(key[0]!, from); at >= 0; at = bytes.indexOf(key[0]!, at + 1))
    if (bytes.subarray(at).equals(key.subarray(0, bytes.length - at))) return bytes.length - at;
  return 0;
}
