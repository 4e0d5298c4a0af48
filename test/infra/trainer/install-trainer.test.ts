import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { describeProgress, trackDownload, installTrainer } from '../../../infra/trainer/install-trainer.ts';
import { findInstalledTrainer, trainerPaths } from '../../../infra/trainer/trainer-paths.ts';
import { IndexUnreachableError } from '../../../infra/python/uv.ts';
import { fakeUv, type FakeUv } from '../../support/trainer/fake-uv.ts';

let fake: FakeUv;
afterEach(() => fake.close());

const placeOptionsOf = ({ options }: FakeUv) => ({ packageRoot: options.packageRoot, cache: options.trainer.cache });
const callsOf = async ({ calls }: FakeUv) => (await readFile(calls, 'utf8')).trim().split('\n');

test('the environment is built from the hashed lock, after its size is reported', async () => {
  fake = await fakeUv();
  const place = await installTrainer('engine', fake.options);
  expect(place).toEqual({ ...trainerPaths('engine', placeOptionsOf(fake)), made: true });
  expect(existsSync(place.python)).toBe(true);
  expect(fake.progressLines[0]).toBe(`installing the trainer: 3.1 GB to download, 5.4 GB on disk, in ${place.folder}`);
  const [venv, sync] = await callsOf(fake);
  expect(venv).toContain('venv --quiet --relocatable');
  expect(sync).toContain(
    `--require-hashes --compile-bytecode ${join(fake.options.packageRoot, 'trainer/requirements.lock')}`,
  );
});

test('an existing environment is left as it is', async () => {
  fake = await fakeUv();
  await installTrainer('engine', fake.options);
  expect(await installTrainer('engine', fake.options)).toMatchObject({ made: false });
  expect(await callsOf(fake)).toHaveLength(2);
});

test("the environment of the tests serves as the engine's", async () => {
  fake = await fakeUv();
  const tests = await installTrainer('test', fake.options);
  expect(findInstalledTrainer(placeOptionsOf(fake))?.folder).toBe(tests.folder);
  expect(await installTrainer('engine', fake.options)).toMatchObject({ folder: tests.folder, made: false });
});

test('no environment is found if the program was copied without the trainer', async () => {
  fake = await fakeUv();
  expect(findInstalledTrainer({ ...placeOptionsOf(fake), packageRoot: join(fake.folder, 'elsewhere') })).toBeNull();
});

test('leftovers of a build that died are swept, and the environment is built again', async () => {
  fake = await fakeUv();
  const { folder } = trainerPaths('engine', placeOptionsOf(fake));
  await mkdir(`${folder}.part/bin`, { recursive: true });
  await writeFile(`${folder}.part/bin/left`, '');
  const place = await installTrainer('engine', fake.options);
  expect(existsSync(join(place.folder, 'bin', 'left'))).toBe(false);
  expect(existsSync(`${folder}.part`)).toBe(false);
});

test('two installations at once build the environment once: one waits for the other', async () => {
  // Variables with the prefix UV_ reach uv.
  fake = await fakeUv({ otherCalls: 'while [ ! -e "$UV_GO" ]; do sleep 0.05; done' });
  const go = join(fake.folder, 'go');
  const options = { ...fake.options, env: { ...fake.options.env, UV_GO: go } };
  const first = installTrainer('engine', options);
  const second = installTrainer('engine', options);
  await expect
    .poll(() => fake.progressLines)
    .toContain(`process ${process.pid} is doing this already: waiting until it is done`);
  await writeFile(go, '');
  expect((await Promise.all([first, second])).map(({ made }) => made).sort()).toEqual([false, true]);
  expect(await callsOf(fake)).toHaveLength(2);
});

test('a build that fails leaves nothing, and reports the last output of uv', async () => {
  fake = await fakeUv({ otherCalls: 'echo "Hash mismatch for torch" >&2; exit 2' });
  await expect(installTrainer('engine', fake.options)).rejects.toThrow('Hash mismatch for torch');
  await expect(installTrainer('engine', fake.options)).rejects.not.toThrow(IndexUnreachableError);
  expect(await readdir(fake.options.trainer.cache)).toEqual([]);
});

test('an unreachable index has an error of its own', async () => {
  fake = await fakeUv({ otherCalls: 'echo "error: Failed to fetch: https://pypi.org/simple/torch/" >&2; exit 2' });
  await expect(installTrainer('engine', fake.options)).rejects.toThrow(IndexUnreachableError);
});

test('an interpreter that is too old is refused, with the versions that would do', async () => {
  fake = await fakeUv({ version: '3, 9' });
  await expect(installTrainer('engine', fake.options)).rejects.toThrow(
    /expected Python 3.11 to 3.14, found \S+ is 3.9: install one, or set PERPETUA_PYTHON/,
  );
});

test('uv gets the variables for the index and the proxy, and no key', async () => {
  fake = await fakeUv({ otherCalls: 'env >&2; exit 1' });
  const env = { ...fake.options.env, UV_INDEX_URL: 'https://index.example', HTTPS_PROXY: 'http://proxy:1' };
  const message = await installTrainer('engine', { ...fake.options, env }).catch((error: Error) => error.message);
  expect(message).toContain('HTTPS_PROXY=http://proxy:1');
  expect(message).not.toContain('OPENAI_API_KEY');
});

test('progress counts the downloaded part of all started downloads', () => {
  const progress = { sizes: new Map<string, number>(), done: 0 };
  expect(describeProgress(progress, 10)).toBeNull();
  for (const line of ['   Downloading torch (2.0GiB)', ' Downloading numpy (512.0MiB)', ' Downloaded numpy'])
    trackDownload(progress, line);
  trackDownload(progress, 'Resolved 80 packages');
  expect(describeProgress(progress, 20)).toBe('downloaded 537 of 2684 MB, 26.8 MB/s');
  trackDownload(progress, ' Downloaded torch');
  expect(describeProgress(progress, 100)).toBeNull();
});
