import { MOST_ENTRIES, UNREADABLE, type Entry } from './archives.ts';
import { latin1 } from './bytes.ts';

const BLOCK = 512;
/** Links, devices and folders. Some readers skip the content that such an entry states, others do not. */
const WITHOUT_CONTENT = '123456';
/** Headers of GNU and pax that change facts of the next entry or of all. */
const EXTENDED = 'xgX';
/** Facts that change where the content of an entry ends. */
const CHANGES_SIZE = /\d (?:size|GNU\.sparse\.[\w.]+)=/;

/**
 * Files of a tar archive; null if the content is none, by the checksum of its first header. If readers may differ in
 * the files, the result has an UNREADABLE one.
 */
export function readTar(content: Uint8Array): Entry[] | null {
  if (!isTarHeader(content, 0)) return null;
  const entries: Entry[] = [];
  let at = 0;
  while (entries.length < MOST_ENTRIES && isTarHeader(content, at)) {
    const size = sizeOf(content.subarray(at, at + BLOCK));
    if (size === null) return [UNREADABLE];
    const start = at + BLOCK;
    const file = content.subarray(start, start + size);
    const type = String.fromCharCode(content[at + 156] ?? 0);
    if (type === 'S' || (EXTENDED.includes(type) && CHANGES_SIZE.test(latin1(file)))) return [UNREADABLE];
    entries.push({ content: file, form: 'stored' });
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  // Nothing but zeros may follow the last file.
  return content.subarray(at).every((byte) => byte === 0) ? entries : [UNREADABLE];
}

/** True for a header with a right checksum. Readers accept sums of signed bytes, too. */
function isTarHeader(content: Uint8Array, at: number): boolean {
  if (at + BLOCK > content.length) return false;
  let sum = 0;
  let signed = 0;
  for (let index = 0; index < BLOCK; index += 1) {
    const byte = index >= 148 && index < 156 ? 32 : (content[at + index] ?? 0);
    sum += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  return [sum, signed].includes(checksumOf(content.subarray(at + 148, at + 156)));
}

/** The checksum that a header states. Readers differ in signs, blanks and prefixes, so only the digits count. */
function checksumOf(field: Uint8Array): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return readBinary(field);
  const text = latin1(field).replace(/^\0+/, '').split('\0')[0] ?? '';
  return parseInt(text.replace(/[^0-7]/g, ''), 8);
}

/** Size of an entry's content; null if readers may differ in it. */
function sizeOf(header: Uint8Array): number | null {
  const field = header.subarray(124, 136);
  const text = latin1(field);
  if (field[0] !== 0x80 && !/^ *[0-7]*[ \0]*$/.test(text)) return null;
  const size = field[0] === 0x80 ? readBinary(field) : parseInt(text.replaceAll('\0', ' ').trim() || '0', 8);
  const name = latin1(header.subarray(0, 100)).replace(/\0.*$/s, '');
  const type = header[156] ?? 0;
  const isFolder = type === 0 && name.endsWith('/');
  return size > 0 && (isFolder || WITHOUT_CONTENT.includes(String.fromCharCode(type))) ? null : size;
}

/** A number in binary, with the highest byte first, behind a byte that marks it. */
const readBinary = (field: Uint8Array): number => field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
