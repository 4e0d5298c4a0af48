import { MOST_ENTRIES, UNREADABLE, type Entry } from './archives.ts';
import { hasBytes, readNumber } from './bytes.ts';

const END = '504b0506';
/** First byte of the signatures. */
const LETTER_P = 0x50;
const END_BYTES = 22;
const COMMENT_BYTES = 65_535;
const FILE = '504b0304';
const DIRECTORY = '504b0102';
const LARGE_END = '504b0606';
const LARGE_END_BYTES = 56;
const LOCATOR = '504b0607';
const LOCATOR_BYTES = 20;
/** Value of a field of four bytes whose number is in a larger field elsewhere. */
const ELSEWHERE = 0xffffffff;
/** Most ends of central directories that are read. An ordinary archive has one, and one for each archive in it. */
const MOST_ENDS = 16;

/**
 * Files of a zip archive, which may begin with anything; null if the content is none. Readers differ in which of
 * several ends they take, so all count. If readers may differ in the files, the result has an UNREADABLE one.
 */
export function readZip(content: Uint8Array): Entry[] | null {
  const entries: Entry[] = [];
  let ends = 0;
  const first = Math.max(0, content.length - END_BYTES - COMMENT_BYTES);
  for (let at = content.indexOf(LETTER_P, first); at !== -1; at = content.indexOf(LETTER_P, at + 1)) {
    if (!hasBytes(content, END, at)) continue;
    const found = readDirectory(content, at);
    if (found === null) continue;
    ends += 1;
    if (ends > MOST_ENDS) return [UNREADABLE];
    entries.push(...found);
    if (entries.length > MOST_ENTRIES) return [UNREADABLE];
  }
  if (ends > 0) return entries;
  // Some readers need no central directory.
  return hasBytes(content, FILE) ? [UNREADABLE] : null;
}

/** Facts of a central directory, as its end states them. */
interface Directory {
  count: number;
  size: number;
  /** Position in the archive. */
  offset: number;
  /** Position after the directory in the content. */
  end: number;
}

/** Files of the central directory before an end; null if the end belongs to no archive, such as in a text. */
function readDirectory(content: Uint8Array, endAt: number): Entry[] | null {
  const stated = {
    count: readNumber(content, endAt + 10, 2),
    size: readNumber(content, endAt + 12, 4),
    offset: readNumber(content, endAt + 16, 4),
    end: endAt,
  };
  const directory = hasBytes(content, LOCATOR, endAt - LOCATOR_BYTES) ? readLargeEnd(content, stated) : stated;
  if (directory === null) return [UNREADABLE];
  const { count, size, offset, end } = directory;
  if (size === ELSEWHERE || offset === ELSEWHERE) return [UNREADABLE];
  const start = end - size;
  // Some readers take the offset from the start of the content, others from the start of the archive.
  const isAtOffset = offset !== start && hasBytes(content, DIRECTORY, offset);
  if (isAtOffset) return [UNREADABLE];
  if (!(start >= 0)) return null;
  const entries: Entry[] = [];
  let at = start;
  while (entries.length <= MOST_ENTRIES && hasBytes(content, DIRECTORY, at) && at < end) {
    entries.push(readEntry(content, { at, prefix: start - offset }));
    at += 46 + [28, 30, 32].reduce((sum, field) => sum + readNumber(content, at + field, 2), 0);
  }
  return entries.length === count && at === end ? entries : [UNREADABLE];
}

/**
 * Facts of the directory of a large archive, whose own end lies before a locator. Null if the two ends or the locator
 * contradict each other: readers differ in which of them they take.
 */
function readLargeEnd(content: Uint8Array, { count, size, offset, end }: Directory): Directory | null {
  const at = end - LOCATOR_BYTES - LARGE_END_BYTES;
  if (!hasBytes(content, LARGE_END, at) || readNumber(content, at + 4, 8) !== LARGE_END_BYTES - 12) return null;
  const large = {
    count: readNumber(content, at + 32, 8),
    size: readNumber(content, at + 40, 8),
    offset: readNumber(content, at + 48, 8),
    end: at,
  };
  const located = readNumber(content, end - LOCATOR_BYTES + 8, 8);
  const isSame =
    located === large.offset + large.size &&
    [large.count, 0xffff].includes(count) &&
    [large.size, ELSEWHERE].includes(size) &&
    [large.offset, ELSEWHERE].includes(offset);
  return isSame ? large : null;
}

function readEntry(content: Uint8Array, { at, prefix }: { at: number; prefix: number }): Entry {
  const isEncrypted = (readNumber(content, at + 8, 2) & 1) === 1;
  const method = readNumber(content, at + 10, 2);
  const { packed, offset } = sizesOf(content, at);
  const header = prefix + offset;
  const start = header + 30 + readNumber(content, header + 26, 2) + readNumber(content, header + 28, 2);
  const form = method === 0 ? 'stored' : 'deflate';
  if (Number.isNaN(start) || packed === null || isEncrypted || ![0, 8].includes(method)) return UNREADABLE;
  if (!hasBytes(content, FILE, header) || readNumber(content, header + 8, 2) !== method) return UNREADABLE;
  return { content: content.subarray(start, start + packed), form };
}

/**
 * Packed size and offset of an entry; null and NaN if they are missing. Numbers that do not fit four bytes lie in its
 * extra field 1, in this order.
 */
function sizesOf(content: Uint8Array, at: number): { packed: number | null; offset: number } {
  const start = at + 46 + readNumber(content, at + 28, 2);
  const end = start + readNumber(content, at + 30, 2);
  const [unpacked, packed, offset] = [24, 20, 42].map((field) => readNumber(content, at + field, 4));
  const found = { packed: packed === ELSEWHERE ? null : (packed ?? null), offset: offset ?? NaN };
  if (offset === ELSEWHERE) found.offset = NaN;
  let isRead = false;
  for (let field = start; field + 4 <= end; field += 4 + readNumber(content, field + 2, 2)) {
    if (readNumber(content, field, 2) !== 1) continue;
    // Readers differ in which of two such fields they take.
    if (isRead) return { packed: null, offset: NaN };
    isRead = true;
    let next = field + 4 + (unpacked === ELSEWHERE ? 8 : 0);
    if (packed === ELSEWHERE) {
      found.packed = readNumber(content, next, 8);
      next += 8;
    }
    if (offset === ELSEWHERE) found.offset = readNumber(content, next, 8);
  }
  return found;
}
