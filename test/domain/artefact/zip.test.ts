import { describe, expect, it } from 'vitest';
import { findCode } from '../../../domain/artefact/find-code.ts';
import { unpack } from '../../../infra/evaluate/artefact/unpack.ts';
import { PICKLE, zipEnd, zipOf, type ZipParts } from './support/zip-of.ts';

const found = (content: Uint8Array): Promise<string | null> => findCode(content, unpack);
const ELSEWHERE = Buffer.from('ffffffff', 'hex');

/** The parts with bytes of one of them replaced. */
function changed(parts: ZipParts, part: keyof ZipParts, at: number, bytes: Uint8Array): Buffer {
  const copy = Buffer.from(parts[part]);
  copy.set(bytes, at);
  return joined({ ...parts, [part]: copy });
}
const joined = ({ files, directory, end }: ZipParts): Buffer => Buffer.concat([files, directory, end]);

/** The end of a large archive, with this many bytes after its fields, then the locator and an ordinary end. */
function largeEnd({ files, directory }: ZipParts, more = 0): Buffer {
  const large = Buffer.alloc(56 + more);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(BigInt(44 + more), 4);
  large.writeBigUInt64LE(1n, 24);
  large.writeBigUInt64LE(1n, 32);
  large.writeBigUInt64LE(BigInt(directory.length), 40);
  large.writeBigUInt64LE(BigInt(files.length), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(files.length + directory.length), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([large, locator, zipEnd({ count: 0xffff, size: 0xffffffff, offset: 0xffffffff })]);
}

describe('a zip archive', () => {
  const pickle = zipOf(PICKLE);
  const text = zipOf(Buffer.from('text'));

  it('is read in its ordinary forms', async () => {
    expect(await found(joined(pickle))).toBe('a zip archive with a pickle');
    for (const content of [
      joined(text),
      Buffer.concat([Buffer.from('before it'), joined(text)]),
      Buffer.concat([text.files, text.directory, largeEnd(text)]),
      zipEnd({ count: 0, size: 0, offset: 0 }),
    ])
      expect(await found(content)).toBe(null);
    expect(await found(Buffer.concat([pickle.files, pickle.directory, largeEnd(pickle)]))).toContain('a pickle');
  });

  it.each([
    ['16 bytes before its end', Buffer.concat([pickle.files, pickle.directory, Buffer.alloc(16), pickle.end])],
    ['a longer end of a large archive', Buffer.concat([pickle.files, pickle.directory, largeEnd(pickle, 4)])],
    ['a count of two files', changed(pickle, 'end', 10, Buffer.from([2]))],
    ['a count of no file', changed(pickle, 'end', 10, Buffer.from([0]))],
    ['a size of its directory that is too small', changed(pickle, 'end', 12, Buffer.from([1]))],
    ['a size of its directory in a field that is missing', changed(pickle, 'end', 12, ELSEWHERE)],
    ['a size of a file in a field that is missing', changed(pickle, 'directory', 20, ELSEWHERE)],
    ['an offset of a file in a field that is missing', changed(pickle, 'directory', 42, ELSEWHERE)],
    ['an offset of no file', changed(pickle, 'directory', 42, Buffer.from([1]))],
    ['another method in its file', changed(text, 'files', 8, Buffer.from([8]))],
    ['no directory', pickle.files],
    [
      'another directory at the offset from its start',
      Buffer.concat([
        joined({ ...pickle, end: Buffer.alloc(0) }),
        joined({ ...text, end: Buffer.alloc(0) }),
        pickle.end,
      ]),
    ],
  ])('that readers may read differently counts as code: %s', async (_, content) => {
    expect(await found(content)).toMatch(/a file that Perpetua cannot unpack$/);
  });
});
