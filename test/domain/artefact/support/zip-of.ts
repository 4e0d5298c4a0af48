/** `pickle.dumps([os.system], 2)` of Python. */
export const PICKLE = Buffer.from('\x80\x02]q\x00cposix\nsystem\nq\x01a.', 'latin1');

/** The parts of a zip archive, in their order. */
export interface ZipParts {
  files: Buffer;
  directory: Buffer;
  end: Buffer;
}

/** The parts of an archive with one stored file, which is in its directory `copies` times. */
export function zipOf(content: Uint8Array, copies = 1): ZipParts {
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt32LE(content.length, 18);
  local.writeUInt32LE(content.length, 22);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt32LE(content.length, 20);
  entry.writeUInt32LE(content.length, 24);
  const files = Buffer.concat([local, content]);
  const directory = Buffer.concat(Array.from({ length: copies }, () => entry));
  return { files, directory, end: zipEnd({ count: copies, size: directory.length, offset: files.length }) };
}

/** The end of an archive. */
export function zipEnd({ count, size, offset }: { count: number; size: number; offset: number }): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}
