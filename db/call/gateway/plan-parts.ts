import { identityOf, numberParts, type SplitRequest } from '../../../domain/gateway/stored/split-request.ts';
import { compress, hashText } from './compress.ts';

/** A part that no earlier request of the caller had. */
export interface NewPart {
  n: number;
  hash: string;
  body: Buffer;
}

/** Parts of a request: those that are new, and the frame, which names all of them. */
export interface PlannedParts {
  added: { n: number; hash: string; text: string }[];
  frame: { n: number; hash: string; text: string };
}

/** Hash of each part of a request, by its text. */
export const hashesOf = (texts: readonly string[]): Map<string, string> =>
  new Map(texts.map((text) => [text, hashText(text)]));

/** Numbers the parts of a request. `known`: numbers of stored parts by their hash. `next`: number of the next part. */
export function planParts(
  split: SplitRequest,
  { hashes, known, next }: { hashes: Map<string, string>; known: Readonly<Record<string, number>>; next: number },
): PlannedParts {
  const numbers = new Map<string, number>();
  const added: PlannedParts['added'] = [];
  for (const [text, hash] of hashes) {
    const stored = Object.hasOwn(known, hash) ? known[hash] : undefined;
    numbers.set(text, stored ?? next + added.length);
    if (stored === undefined) added.push({ n: next + added.length, hash, text });
  }
  const numbered = numberParts(split, (part) => numbers.get(part) ?? 0);
  const frame = { n: next + added.length, hash: hashText(identityOf(numbered)), text: JSON.stringify(numbered) };
  return { added, frame };
}

/** The rows of the parts that a request adds. */
export const compressParts = ({ added, frame }: PlannedParts): Promise<NewPart[]> =>
  Promise.all([...added, frame].map(async ({ n, hash, text }) => ({ n, hash, body: await compress(text) })));
