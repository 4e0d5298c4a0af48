import { latin1, readNumber } from './bytes.ts';

const PROTO = 0x80;
const LATEST_PROTOCOL = 10;
const NEWLINE = 10;

/** Bytes after an opcode: a fixed number, a number of lines, or bytes whose count the first `size` bytes have. */
type Argument = { bytes: number } | { lines: 1 | 2 } | { size: 1 | 4 | 8 };

/**
 * Effect on the stack: `pops` values, or all down to the last mark, then `pushes` values. `needs`: values that have to
 * remain below.
 */
interface Opcode {
  argument: Argument;
  pops: number | 'mark';
  needs: number;
  pushes: number;
  /** `load`: brings an object of a module; `call`: runs code of one; `put`: stores a value; `get`: brings it back. */
  does?: 'load' | 'call' | 'put' | 'get';
}

const NONE: Argument = { bytes: 0 };
const pushing = (argument: Argument): Opcode => ({ argument, pops: 0, needs: 0, pushes: 1 });
const replacing = (pops: number | 'mark', needs = 0): Opcode => ({ argument: NONE, pops, needs, pushes: 1 });
const adding = (pops: number | 'mark'): Opcode => ({ argument: NONE, pops, needs: 1, pushes: 0 });
const putting = (argument: Argument): Opcode => ({ argument, pops: 0, needs: 1, pushes: 0, does: 'put' });
const getting = (argument: Argument): Opcode => ({ ...pushing(argument), does: 'get' });
const loading = (opcode: Opcode): Opcode => ({ ...opcode, does: 'load' });
const calling = (opcode: Opcode): Opcode => ({ ...opcode, does: 'call' });

const POP = 0x30;
const MARK = 0x28;
const STOP = 0x2e;
const INST = 0x69;
const GLOBAL = 0x63;

/** The opcodes of Python's pickletools, of protocols 0 to 5, besides POP, MARK and STOP. */
const OPCODES = new Map<number, Opcode>([
  ...[...'N]})'].map((char) => [char.charCodeAt(0), pushing(NONE)] as const),
  ...[0x88, 0x89, 0x8f, 0x97].map((code) => [code, pushing(NONE)] as const),
  ...[...'ILFSVP'].map((char) => [char.charCodeAt(0), pushing({ lines: 1 })] as const),
  [0x4b, pushing({ bytes: 1 })],
  [0x4d, pushing({ bytes: 2 })],
  [0x4a, pushing({ bytes: 4 })],
  [0x47, pushing({ bytes: 8 })],
  ...[0x55, 0x43, 0x8a, 0x8c].map((code) => [code, pushing({ size: 1 })] as const),
  ...[0x54, 0x58, 0x42, 0x8b].map((code) => [code, pushing({ size: 4 })] as const),
  ...[0x8d, 0x8e, 0x96].map((code) => [code, pushing({ size: 8 })] as const),
  // PROTO and FRAME.
  [PROTO, { argument: { bytes: 1 }, pops: 0, needs: 0, pushes: 0 }],
  [0x95, { argument: { bytes: 8 }, pops: 0, needs: 0, pushes: 0 }],
  // POP_MARK, DUP, BINPERSID, READONLY_BUFFER.
  [0x31, { argument: NONE, pops: 'mark', needs: 0, pushes: 0 }],
  [0x32, { argument: NONE, pops: 0, needs: 1, pushes: 1 }],
  [0x51, replacing(1)],
  [0x98, replacing(1)],
  // TUPLE, LIST, DICT, FROZENSET; TUPLE1 to TUPLE3.
  ...[0x74, 0x6c, 0x64, 0x91].map((code) => [code, replacing('mark')] as const),
  [0x85, replacing(1)],
  [0x86, replacing(2)],
  [0x87, replacing(3)],
  // APPEND, SETITEM; APPENDS, SETITEMS, ADDITEMS.
  [0x61, adding(1)],
  [0x73, adding(2)],
  ...[0x65, 0x75, 0x90].map((code) => [code, adding('mark')] as const),
  // PUT, BINPUT, LONG_BINPUT, MEMOIZE; GET, BINGET, LONG_BINGET.
  [0x70, putting({ lines: 1 })],
  [0x71, putting({ bytes: 1 })],
  [0x72, putting({ bytes: 4 })],
  [0x94, putting(NONE)],
  [0x67, getting({ lines: 1 })],
  [0x68, getting({ bytes: 1 })],
  [0x6a, getting({ bytes: 4 })],
  // GLOBAL, STACK_GLOBAL, EXT1, EXT2, EXT4.
  [GLOBAL, loading(pushing({ lines: 2 }))],
  [0x93, loading(replacing(2))],
  [0x82, loading(pushing({ bytes: 1 }))],
  [0x83, loading(pushing({ bytes: 2 }))],
  [0x84, loading(pushing({ bytes: 4 }))],
  // REDUCE, NEWOBJ, NEWOBJ_EX, BUILD, OBJ, INST.
  [0x52, calling(replacing(2))],
  [0x81, calling(replacing(2))],
  [0x92, calling(replacing(3))],
  [0x62, calling(adding(1))],
  [0x6f, calling(replacing('mark'))],
  [INST, calling({ argument: { lines: 2 }, pops: 'mark', needs: 0, pushes: 1 })],
]);

/**
 * True if Python's pickle module takes the start of the content for a pickle, or for several: some programs load one
 * pickle after another from a file. A call counts even if the pickle is cut after it. A pickle of protocol 0 or 1 that
 * calls nothing counts only if it names an object, or stores a value for later, as all pickles of lists and texts do.
 * Else plain text such as `N. Smith` would be a pickle.
 */
export function isPickle(content: Uint8Array): boolean {
  for (let rest = content; rest.length > 0;) {
    const found = readPickle(rest);
    if (typeof found === 'boolean') return found;
    rest = rest.subarray(found);
  }
  return false;
}

/** Walks one pickle: true or false if that decides, else the position after a pickle that proves nothing. */
function readPickle(content: Uint8Array): boolean | number {
  const isBinary = content[0] === PROTO && (content[1] ?? Infinity) <= LATEST_PROTOCOL;
  const marks: number[] = [];
  let depth = 0;
  let loads = 0;
  let puts = 0;
  for (let at = 0; at < content.length;) {
    const code = content[at] ?? STOP;
    const base = marks.at(-1) ?? 0;
    if (code === STOP) {
      if (depth <= base) return false;
      return isBinary || loads > 0 || (puts > 0 && depth === 1) || at + 1;
    }
    if (code === MARK) {
      marks.push(depth);
      at += 1;
      continue;
    }
    if (code === POP) {
      if (depth > base) depth -= 1;
      else if (marks.pop() === undefined) return false;
      at += 1;
      continue;
    }
    const opcode = OPCODES.get(code);
    if (!opcode) return false;
    const end = endOfArgument(content, at + 1, opcode.argument);
    if (end === null) return false;
    if (opcode.pops === 'mark') {
      const mark = marks.pop();
      if (mark === undefined) return false;
      depth = mark;
    } else depth -= opcode.pops;
    if (depth < (marks.at(-1) ?? 0) + opcode.needs) return false;
    depth += opcode.pushes;
    if (opcode.does === 'get' && puts === 0) return false;
    if (opcode.does === 'put') puts += 1;
    if (opcode.does === 'load') loads += 1;
    if (!isBinary && (code === INST || code === GLOBAL) && !namesObject(content.subarray(at + 1, end))) return false;
    if (code === INST) return true;
    if (opcode.does === 'call' && loads > 0) return true;
    at = end;
  }
  return false;
}

/** True if two lines are the names of a module and of an object in it. */
const namesObject = (lines: Uint8Array): boolean => /^[\w.\x80-\xff-]+\n[\w.\x80-\xff]+\n$/.test(latin1(lines));

/** Position after an argument; null if the content ends before. */
function endOfArgument(content: Uint8Array, start: number, argument: Argument): number | null {
  let end = start;
  if ('bytes' in argument) end += argument.bytes;
  else if ('size' in argument) end += argument.size + readNumber(content, start, argument.size);
  else
    for (let line = 0; line < argument.lines; line += 1) {
      const newline = content.indexOf(NEWLINE, end);
      if (newline === -1) return null;
      end = newline + 1;
    }
  return end <= content.length ? end : null;
}
