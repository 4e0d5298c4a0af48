import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { findCode } from '../../../domain/artefact/find-code.ts';
import { unpack } from '../../../infra/evaluate/artefact/unpack.ts';

/**
 * Contents in Base64 by their name, written by Python 3.11 with pickle, zipfile, tarfile, NumPy 2.4, joblib 1.5 and
 * cloudpickle 3.1.
 */
const WRITTEN = JSON.parse(readFileSync(new URL('./fixtures/python.json', import.meta.url), 'utf8')) as {
  code: Record<string, string>;
  data: Record<string, string>;
};
const found = (content: Uint8Array): Promise<string | null> => findCode(content, unpack);
const decoded = (base64: string | undefined): Buffer => Buffer.from(base64 ?? '', 'base64');

describe('the search for code in an artefact', () => {
  it.each(Object.entries(WRITTEN.code))('finds it in: %s', async (_, base64) => {
    expect(await found(decoded(base64))).toEqual(expect.any(String));
  });

  it.each(Object.entries(WRITTEN.data))('finds none in: %s', async (_, base64) => {
    expect(await found(decoded(base64))).toBe(null);
  });

  it.each([
    ['an empty file', ''],
    ['JSON', '{"loss": 1.5, "rows": [1, 2, 3]}'],
    ['CSV', 'column,b\n1,2\n'],
    ['words', 'cat\ndog\nbird\nrat\n'],
    ['a list of words in brackets', '(a\nb\nc\n.'],
    ['an abbreviated name', 'N. Smith\n'],
    ['numbers', '0.5\n.25\n'],
    ['a version', 'Version 1\n.5 is next\n'],
    ['integers', 'I5\n.'],
    ['a formula, which begins like zlib', 'x^2 + 1'],
    ['text that begins like bzip2', 'BZh is a format'],
    ['text that begins like a Windows program', `MZ${' '.repeat(100)}`],
    ['text that ends like a zip archive', `see PK\u0005\u0006 ${' '.repeat(60)}`],
    ['text with a checksum that looks octal', '0'.repeat(600)],
  ])('finds none in: %s', async (_, text) => {
    expect(await found(Buffer.from(text, 'latin1'))).toBe(null);
  });

  it('finds none in texts and binary data at random', async () => {
    for (let n = 0; n < 300; n += 1) {
      expect(await found(Buffer.from(randomBytes(200).toString('base64')))).toBe(null);
      // A byte below all beginnings that are known, so that chance makes none.
      expect(await found(Buffer.concat([Buffer.from([1]), randomBytes(2000)]))).toBe(null);
    }
  });

  it('finds a program', async () => {
    expect(await found(readFileSync(process.execPath).subarray(0, 4096))).toBe('a program (ELF)');
  });

  it('counts content that is too large to look into, or too deep, as code', async () => {
    const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024), { level: 1 });
    expect(await found(bomb)).toBe('more data than Perpetua looks into');
    let nested: Buffer = Buffer.from('text');
    for (let level = 0; level < 6; level += 1) nested = gzipSync(nested);
    expect(await found(nested)).toContain('too deep');
  });

  it('ends for an archive that contains itself', async () => {
    // One stored file that begins at the start of the archive and is as long as the archive.
    const size = 30 + 46 + 22;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    const directory = Buffer.alloc(46);
    directory.writeUInt32LE(0x02014b50, 0);
    directory.writeUInt32LE(size, 20);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt32LE(46, 12);
    end.writeUInt32LE(30, 16);
    // The content of the file is the rest, which is an archive again.
    expect(await found(Buffer.concat([local, directory, end]))).toEqual(expect.any(String));
  });

  it.skipIf(!hasPython())('finds pickles that the installed Python writes now', async () => {
    for (const protocol of [0, 1, 2, 3, 4, 5]) {
      const program = `import pickle,sys,os;sys.stdout.buffer.write(pickle.dumps([os.system, {1: 'a'}], ${protocol}))`;
      const content = execFileSync('python3', ['-c', program]);
      expect(await found(content)).toBe('a pickle');
    }
  });

  it.skipIf(!hasPython())('finds a pickle in a text that Python loads as an object of the evaluator', async () => {
    // Lines of words and numbers: Python loads the first two lines and the point, and ignores what follows.
    const content = Buffer.from('c__main__\ntruth\n.5\n0.25\n');
    const program = 'import pickle, sys; truth = "held out"; print(pickle.load(sys.stdin.buffer))';
    expect(execFileSync('python3', ['-c', program], { input: content, encoding: 'utf8' })).toBe('held out\n');
    expect(await found(content)).toBe('a pickle');
  });
});

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', ''], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
