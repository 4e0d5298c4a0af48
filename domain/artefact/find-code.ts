import type { Entry } from './archives.ts';
import { hasBytes, latin1, readNumber } from './bytes.ts';
import { isPickle } from './pickle.ts';
import { readTar } from './tar.ts';
import { readZip } from './zip.ts';

/** An unpacked content. A loader that reads in pieces executes also what comes before damage. */
export interface Unpacked {
  content: Uint8Array;
  /** False if the packed content is damaged, or if more follows it: other readers may find more than `content`. */
  isWhole: boolean;
}

/** Unpacks at most `most` bytes, as far as the content allows. */
export type Unpack = (form: 'gzip' | 'zlib' | 'deflate', content: Uint8Array, most: number) => Promise<Unpacked>;

/** Limits of a search: what lies in an archive may overlap, so that few bytes hold millions. */
export interface SearchLimits {
  /** Bytes of archives and compressed contents besides the artefact's own. */
  bytes: number;
  /** Files of archives. */
  entries: number;
}

const MOST: SearchLimits = { bytes: 256 * 1024 * 1024, entries: 20_000 };
/** Archives and compressed contents inside each other that are opened. */
const MOST_LEVELS = 4;

/** Beginnings of compressed contents, besides gzip and zlib; Node unpacks none of them. */
const PACKED: readonly [start: string, name: string][] = [
  ['425a68', 'bzip2'],
  ['fd377a585a00', 'xz'],
  ['5d00', 'lzma'],
  ['04224d18', 'lz4'],
  ['02214c18', 'lz4'],
  ['28b52ffd', 'zstd'],
  // joblib before version 0.10.
  ['5a463078', 'zlib of an old joblib'],
];

/** Beginnings of programs, and of serialized objects of other languages. */
const PROGRAMS: readonly [start: string, name: string][] = [
  ['7f454c46', 'a program (ELF)'],
  ['cffaedfe', 'a program (Mach-O)'],
  ['cafebabe', 'a program (Mach-O or Java)'],
  ['aced0005', 'serialized objects of Java'],
];

/**
 * Describes why loading an artefact may execute code, by its content: it is, or holds, a pickle or a program, or it
 * cannot be read here. Null if it does not. Opens archives and compressed contents.
 */
export const findCode = (
  content: Uint8Array,
  unpack: Unpack,
  { bytes, entries }: SearchLimits = MOST,
): Promise<string | null> => search(content, { unpack, left: { bytes: bytes + content.length, entries }, level: 0 });

const TOO_MUCH = 'more data than Perpetua looks into';
const TOO_MANY = 'more files than Perpetua looks into';
/** Describes an artefact whose search took too long. */
export const TOO_SLOW = 'a content that takes Perpetua too long to look into';

/** True if a search ended at its limits. */
export const isOverLimits = (found: string | null): boolean =>
  found !== null && [TOO_MUCH, TOO_MANY].some((text) => found.endsWith(text));

/** Advice on an artefact that may execute code. */
export const SAFE_ARTEFACTS =
  'Let the run leave predictions, such as JSON or CSV, ' +
  'or set evaluator.safeLoad: true if the evaluator never executes an artefact';

/** Refusal of an artefact, in words, on a machine without a sandbox for evaluators. */
export const refuseCode = (artefact: string): string =>
  `expected artefacts that execute no code, since this machine gives evaluators no sandbox; got ${artefact}. ` +
  SAFE_ARTEFACTS;

/** Refusal of an artefact, in words, of a task whose evaluator asks models: its code could ask them, too. */
export const refuseCodeBesideModel = (artefact: string): string =>
  `expected artefacts that execute no code, since the evaluator may ask a model (evaluator.llm); got ${artefact}. ` +
  SAFE_ARTEFACTS;

/** Warning of an artefact, in words, that the unmodified version leaves. */
export const warnOfCode = (artefact: string): string =>
  `trials are untrusted: the artefact ${artefact} may execute code when the evaluator loads it, ` +
  `and so report any score. The evaluator has no network. ${SAFE_ARTEFACTS} (docs/guides/evaluators.md)`;

interface Search {
  unpack: Unpack;
  /** Limits that are left. */
  left: SearchLimits;
  level: number;
}

async function search(content: Uint8Array, from: Search): Promise<string | null> {
  const plain = findPlain(content);
  if (plain !== null) return plain;
  const packed = packedWith(content);
  if (packed !== null) return `compressed with ${packed}, which Perpetua cannot unpack`;
  for (const form of ['gzip', 'zlib'] as const) {
    const found = isForm[form](content) ? await searchPacked({ content, form }, from) : null;
    if (found !== null) return found;
  }
  for (const [entries, kind] of [
    [readZip(content), 'zip'],
    [readTar(content), 'tar'],
  ] as const) {
    const found = entries && (await searchEntries(entries, from));
    if (found) return from.level === 0 ? `a ${kind} archive with ${found}` : found;
  }
  return null;
}

/** Describes content that executes code as it is. */
function findPlain(content: Uint8Array): string | null {
  if (isPickle(content)) return 'a pickle';
  if (isObjectArray(content)) return 'a NumPy array of Python objects';
  if (isPythonBytecode(content)) return 'compiled Python';
  if (hasBytes(content, '4d5a') && hasBytes(content, '50450000', readNumber(content, 0x3c, 4)))
    return 'a program (Windows)';
  return PROGRAMS.find(([start]) => hasBytes(content, start))?.[1] ?? null;
}

const isForm = {
  gzip: (content: Uint8Array): boolean => hasBytes(content, '1f8b'),
  zlib: ([first = 0, second = 0]: Uint8Array): boolean => (first & 15) === 8 && ((first << 8) | second) % 31 === 0,
};

/** Name of a compression that Node does not unpack; null for any other content. */
function packedWith(content: Uint8Array): string | null {
  const known = PACKED.find(([start]) => hasBytes(content, start) && isPacked(content));
  if (known) return known[1];
  // A frame of zstd or lz4 that readers skip, before the first one with data.
  if (hasBytes(content, '2a4d18', 1) && ((content[0] ?? 0) & 0xf0) === 0x50) return 'zstd or lz4';
  return isLzma(content) ? 'lzma' : null;
}

/**
 * True for the old form of lzma as programs write it, with any properties: the size of the dictionary is a power of two
 * or one and a half of it, the size of the content unknown, and the first byte 0.
 */
function isLzma(content: Uint8Array): boolean {
  const dictionary = readNumber(content, 1, 4);
  const isPower = (value: number): boolean => Number.isInteger(Math.log2(value));
  return (
    (content[0] ?? 255) < 225 &&
    (isPower(dictionary) || isPower((dictionary * 2) / 3)) &&
    hasBytes(content, 'ffffffffffffffff00', 5)
  );
}

/** False for text that begins with the letters of a compressed content. */
const isPacked = (content: Uint8Array): boolean =>
  !hasBytes(content, '425a68') || /^BZh[1-9](1AY&SY|\x17rE8P\x90)/.test(latin1(content.subarray(0, 10)));

async function searchEntries(entries: readonly Entry[], from: Search): Promise<string | null> {
  if (from.level >= MOST_LEVELS) return TOO_DEEP;
  for (const { content, form } of entries) {
    from.left.entries -= 1;
    if (from.left.entries < 0) return TOO_MANY;
    if (form === null) return 'a file that Perpetua cannot unpack';
    if (form === 'stored') from.left.bytes -= content.length;
    if (from.left.bytes < 0) return TOO_MUCH;
    const inside = { ...from, level: from.level + 1 };
    const found = await (form === 'stored' ? search(content, inside) : searchPacked({ content, form }, inside));
    if (found !== null) return found;
  }
  return null;
}

const DAMAGED = 'a compressed content that is damaged or followed by more';
const TOO_DEEP = 'archives inside each other, too deep to look into';

async function searchPacked(
  { content, form }: { content: Uint8Array; form: 'gzip' | 'zlib' | 'deflate' },
  from: Search,
): Promise<string | null> {
  const { left, level } = from;
  if (level >= MOST_LEVELS) return TOO_DEEP;
  const { content: unpacked, isWhole } = await from.unpack(form, content, left.bytes + 1);
  left.bytes -= unpacked.length;
  const found = await search(unpacked, { ...from, level: level + 1 });
  if (found !== null) return found;
  if (left.bytes < 0) return TOO_MUCH;
  // Many texts begin like zlib by chance, and give nothing.
  return isWhole || (form === 'zlib' && unpacked.length === 0) ? null : DAMAGED;
}

const ARRAY = '934e554d5059';
/** First byte of the signature of an array. */
const ARRAY_START = 0x93;
/** Most arrays of a file that are read. */
const MOST_ARRAYS = 1000;

/**
 * True for .npy arrays of which one may have elements that are Python objects: a pickle follows its header. Programs
 * may load one array after another from a file.
 */
function isObjectArray(content: Uint8Array): boolean {
  if (!hasBytes(content, ARRAY)) return false;
  let arrays = 0;
  for (let at = 0; at !== -1; at = content.indexOf(ARRAY_START, at + 1)) {
    if (!hasBytes(content, ARRAY, at)) continue;
    arrays += 1;
    if (arrays > MOST_ARRAYS || holdsObjects(content.subarray(at))) return true;
  }
  return false;
}

/** Types of plain numbers and texts, as the header of an array names them. */
const PLAIN_TYPE = /['"]descr['"] *: *['"][|<>=]?[?biufcmMSU]\d*(\[\w+\])?['"]/;

function holdsObjects(array: Uint8Array): boolean {
  const sizeBytes = array[6] === 1 ? 2 : 4;
  const start = 8 + sizeBytes;
  const end = start + readNumber(array, 8, sizeBytes);
  const header = latin1(array.subarray(start, Math.min(end, start + 1_000_000)));
  // NumPy accepts many names of the type of objects. Readers may differ in a header with two types.
  const isPlain = PLAIN_TYPE.test(header) && header.split('descr').length === 2 && !header.includes('\\');
  return !isPlain && isPickle(array.subarray(end));
}

/** True for a .pyc file: its first two bytes are a number that each version of Python raises. */
const isPythonBytecode = (content: Uint8Array): boolean =>
  hasBytes(content, '0d0a', 2) && (content[1] ?? 0) >= 0x0b && (content[1] ?? 0) <= 0x0f;
