import { hasBytes, latin1, readNumber } from './bytes.ts';

/** A file in an archive; `form`: how its content is packed, null if in a form that nobody unpacks here. */
export interface Entry {
  content: Uint8Array;
  form: 'stored' | 'deflate' | null;
}

const END = '504b0506';
/** First byte of the signatures. */
const LETTER_P = 0x50;
const END_BYTES = 22;
const COMMENT_BYTES = 65_535;
const DIRECTORY = '504b0102';
/** Most ends of central directories that are read; a file that has more is no honest archive. */
const MOST_ENDS = 16;
/** Most files of all archives; more of them take too long to read. */
const MOST_ENTRIES = 100_000;

/**
 * Files of a zip archive, which may begin with anything; null if the content is none. Readers differ in which of
 * several ends they take, so all count.
 */
export function readZip(content: Uint8Array): Entry[] | null {
  const entries: Entry[] = [];
  let ends = 0;
  const first = Math.max(0, content.length - END_BYTES - COMMENT_BYTES);
  for (let at = content.indexOf(LETTER_P, first); at !== -1; at = content.indexOf(LETTER_P, at + 1)) {
    if (!hasBytes(content, END, at)) continue;
    ends += 1;
    if (ends > MOST_ENDS) return [UNREADABLE];
    entries.push(...readDirectory(content, at));
    if (entries.length > MOST_ENTRIES) return [UNREADABLE];
  }
  return ends === 0 ? null : entries;
}

const UNREADABLE: Entry = { content: new Uint8Array(), form: null };

/** Files of the central directory before an end. */
function readDirectory(content: Uint8Array, end: number): Entry[] {
  let [size, offset, directoryEnd] = [readNumber(content, end + 12, 4), readNumber(content, end + 16, 4), end];
  // A locator of a large archive lies before the end, and its own end before the locator.
  if (hasBytes(content, '504b0607', end - 20) && hasBytes(content, '504b0606', end - 76)) {
    size = readNumber(content, end - 76 + 40, 8);
    offset = readNumber(content, end - 76 + 48, 8);
    directoryEnd = end - 76;
  }
  // Offsets count from the start of the archive, before which other bytes may lie.
  const prefix = directoryEnd - size - offset;
  const entries: Entry[] = [];
  for (let at = directoryEnd - size; at >= 0 && hasBytes(content, DIRECTORY, at);) {
    entries.push(readEntry(content, { at, prefix }));
    const [name, extra, comment] = [28, 30, 32].map((field) => readNumber(content, at + field, 2));
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
    if (entries.length > MOST_ENTRIES) break;
  }
  return entries;
}

function readEntry(content: Uint8Array, { at, prefix }: { at: number; prefix: number }): Entry {
  const isEncrypted = (readNumber(content, at + 8, 2) & 1) === 1;
  const method = readNumber(content, at + 10, 2);
  const large = largeFields(content, at);
  const packed = large.packed ?? readNumber(content, at + 20, 4);
  const header = prefix + (large.offset ?? readNumber(content, at + 42, 4));
  const start = header + 30 + readNumber(content, header + 26, 2) + readNumber(content, header + 28, 2);
  const form = method === 0 ? 'stored' : 'deflate';
  if (Number.isNaN(start) || isEncrypted || ![0, 8].includes(method)) return UNREADABLE;
  return { content: content.subarray(start, start + packed), form };
}

/** Sizes and offset of an entry that do not fit four bytes: they lie in its extra field 1, in this order. */
function largeFields(content: Uint8Array, at: number): { packed?: number; offset?: number } {
  const start = at + 46 + readNumber(content, at + 28, 2);
  const end = start + readNumber(content, at + 30, 2);
  const isLarge = (field: number): boolean => readNumber(content, at + field, 4) === 0xffffffff;
  const found: { packed?: number; offset?: number } = {};
  for (let field = start; field + 4 <= end; field += 4 + readNumber(content, field + 2, 2)) {
    if (readNumber(content, field, 2) !== 1) continue;
    let next = field + 4 + (isLarge(24) ? 8 : 0);
    if (isLarge(20)) {
      found.packed = readNumber(content, next, 8);
      next += 8;
    }
    if (isLarge(42)) found.offset = readNumber(content, next, 8);
  }
  return found;
}

const BLOCK = 512;

/** Files of a tar archive; null if the content is none, by the checksum of its first header. */
export function readTar(content: Uint8Array): Entry[] | null {
  if (!isTarHeader(content, 0)) return null;
  const entries: Entry[] = [];
  for (let at = 0; isTarHeader(content, at) && entries.length < MOST_ENTRIES;) {
    const size = tarNumber(content.subarray(at + 124, at + 136));
    const start = at + BLOCK;
    entries.push({ content: content.subarray(start, start + size), form: 'stored' });
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return entries;
}

function isTarHeader(content: Uint8Array, at: number): boolean {
  if (at + BLOCK > content.length || content[at] === 0) return false;
  let sum = 0;
  for (let index = 0; index < BLOCK; index += 1) sum += index >= 148 && index < 156 ? 32 : (content[at + index] ?? 0);
  return tarNumber(content.subarray(at + 148, at + 156)) === sum;
}

/** A number in octal digits or, if the first bit is set, in binary with the highest byte first. */
function tarNumber(field: Uint8Array): number {
  if (((field[0] ?? 0) & 0x80) === 0) return parseInt(latin1(field).replaceAll('\0', ' ').trim() || '0', 8);
  return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
}
