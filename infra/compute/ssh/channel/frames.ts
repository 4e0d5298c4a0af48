/** One message of the host: a line of words, and bytes. */
export interface Frame {
  type: string;
  words: string[];
  payload: Buffer;
}

/** The stream does not follow the protocol of the host's script. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** Most bytes that a login shell may print before the host's script begins. */
const MOST_NOISE = 1024 * 1024;
const MOST_HEADER = 4096;

/** Splits a stream into frames: `push` takes a chunk of any size, and returns the frames that are complete. */
export function frameReader(mark: string): { push(chunk: Buffer): Frame[]; started(): boolean } {
  const skip = noiseSkipper(mark);
  let parts: Buffer[] = [];
  let held = 0;
  let head: { type: string; words: string[]; length: number } | undefined;
  const join = (): Buffer => {
    const all = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    parts = [all];
    return all;
  };
  const keep = (rest: Buffer): void => {
    parts = [rest];
    held = rest.length;
  };
  const next = (): Frame | undefined => {
    if (!head) {
      const all = join();
      const at = all.indexOf(10);
      if (at < 0 && held > MOST_HEADER)
        throw new ProtocolError(`expected a line; got ${held} bytes without a line break`);
      if (at < 0) return undefined;
      head = headOf(all.toString('utf8', 0, at));
      keep(all.subarray(at + 1));
    }
    if (held < head.length) return undefined;
    const all = join();
    const frame = { type: head.type, words: head.words, payload: all.subarray(0, head.length) };
    keep(all.subarray(head.length));
    head = undefined;
    return frame;
  };
  return {
    started: () => skip.done(),
    push(chunk) {
      const rest = skip.push(chunk);
      if (rest === undefined) return [];
      parts.push(rest);
      held += rest.length;
      const frames: Frame[] = [];
      for (let frame = next(); frame; frame = next()) frames.push(frame);
      return frames;
    },
  };
}

/** Drops all bytes up to the line of the mark, and passes on what follows. `push` returns undefined before the mark. */
export function noiseSkipper(mark: string): { push(chunk: Buffer): Buffer | undefined; done(): boolean } {
  let noise: Buffer | undefined = Buffer.alloc(0);
  let dropped = 0;
  const line = Buffer.from(`${mark}\n`);
  return {
    done: () => noise === undefined,
    push(chunk) {
      if (noise === undefined) return chunk;
      const all = Buffer.concat([noise, chunk]);
      const at = all.indexOf(line);
      if (at >= 0) {
        noise = undefined;
        return all.subarray(at + line.length);
      }
      // Keep the end: the mark may have begun there.
      noise = all.subarray(Math.max(0, all.length - line.length + 1));
      dropped += all.length - noise.length;
      if (dropped > MOST_NOISE)
        throw new ProtocolError(`the login shell printed more than ${MOST_NOISE} bytes before the host script began`);
      return undefined;
    },
  };
}

function headOf(line: string): { type: string; words: string[]; length: number } {
  const [type, length, ...words] = line.trim().split(' ');
  if (!type || !/^[a-z]+$/.test(type) || !length || !/^\d{1,12}$/.test(length))
    throw new ProtocolError(`expected "TYPE LENGTH …"; got ${JSON.stringify(line.slice(0, 200))}`);
  return { type, words, length: Number(length) };
}
