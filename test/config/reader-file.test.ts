import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { homePaths } from '../../config/paths.ts';
import { readReaderFile, writeReaderFile } from '../../config/reader-file.ts';

const ADDRESS = { url: 'postgres://reader:pw@127.0.0.1:1/db', role: 'reader' as const, why: null };
let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'perpetua-reader-file-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

test('it is read as it was written, and only its owner may: also where the folder and a left file were open', async () => {
  const { readerFile } = homePaths(home);
  await mkdir(dirname(readerFile), { recursive: true });
  await chmod(dirname(readerFile), 0o755);
  await writeFile(`${readerFile}.${process.pid}`, 'left', { mode: 0o644 });
  await writeReaderFile(home, { ...ADDRESS, url: 'postgres://before' });
  await writeReaderFile(home, ADDRESS);
  expect(await readReaderFile(home)).toEqual(ADDRESS);
  expect([await modeOf(dirname(readerFile)), await modeOf(readerFile)]).toEqual(['700', '600']);
});

test('one that is missing or has another form is an error that says who writes it', async () => {
  await expect(readReaderFile('/nowhere')).rejects.toThrow(/reader\.json.*ENOENT.*perpetua up/);
  await writeFile(homePaths(home).readerFile, '{"url": 7}');
  await expect(readReaderFile(home)).rejects.toThrow(/it has another form.*perpetua dashboard/);
});
