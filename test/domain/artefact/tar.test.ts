import { describe, expect, it } from 'vitest';
import { findCode } from '../../../domain/artefact/find-code.ts';
import { unpack } from '../../../infra/evaluate/artefact/unpack.ts';
import { PICKLE } from './support/zip-of.ts';

const found = (content: Uint8Array): Promise<string | null> => findCode(content, unpack);

interface Header {
  name?: string;
  type?: string;
  /** Text of the field. */
  size?: string;
  /** True: the checksum counts bytes above 127 as negative. */
  signed?: boolean;
}

/** An entry of an archive: a header, then its content in blocks. */
function entry(content: Buffer, { name = 'a', type = '0', size, signed = false }: Header = {}): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0, 'latin1');
  header.write(size ?? content.length.toString(8).padStart(11, '0'), 124);
  header.write(' '.repeat(8), 148);
  header.write(type, 156);
  const sum = header.reduce((total, byte) => total + (signed && byte > 127 ? byte - 256 : byte), 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}
const text = entry(Buffer.from('text'));
const hidden = entry(PICKLE);
const END = Buffer.alloc(1024);

describe('a tar archive', () => {
  it('is read in its ordinary forms', async () => {
    expect(await found(Buffer.concat([text, hidden, END]))).toBe('a tar archive with a pickle');
    const folder = entry(Buffer.alloc(0), { name: 'a/', type: '5' });
    const pax = entry(Buffer.from('19 path=some-name\n'), { type: 'x' });
    expect(await found(Buffer.concat([folder, pax, text, END]))).toBe(null);
    expect(await found(text)).toBe(null);
  });

  it.each([
    ['a checksum of signed bytes', entry(PICKLE, { name: 'é', signed: true })],
    ['a name that begins with a zero byte', entry(PICKLE, { name: '\0a' })],
    ['a later checksum of signed bytes', Buffer.concat([text, entry(PICKLE, { name: 'é', signed: true })])],
  ])('with %s is read', async (_, content) => {
    expect(await found(Buffer.concat([content, END]))).toBe('a tar archive with a pickle');
  });

  it.each([
    ['a file after its end', Buffer.concat([text, END, hidden])],
    ['a broken header', Buffer.concat([text, Buffer.alloc(512, 'x'), hidden])],
    ['a folder with content', Buffer.concat([entry(hidden, { name: 'a/', type: '5' })])],
    ['an old folder with content', Buffer.concat([entry(hidden, { name: 'a/', type: '\0' })])],
    ['a size of pax', Buffer.concat([entry(Buffer.from('10 size=4\n'), { type: 'x' }), entry(hidden)])],
    ['a size that is no number', Buffer.concat([entry(hidden, { size: '0o1000' })])],
  ])('that readers may read differently counts as code: %s', async (_, content) => {
    expect(await found(Buffer.concat([content, END]))).toBe('a tar archive with a file that Perpetua cannot unpack');
  });
});
