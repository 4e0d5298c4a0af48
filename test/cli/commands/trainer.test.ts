import { afterEach, expect, test } from 'vitest';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { trainerPaths } from '../../../infra/trainer/trainer-paths.ts';
import { fakeUv, type FakeUv } from '../../support/trainer/fake-uv.ts';
import { run } from '../support/cli.ts';

let fake: FakeUv;
afterEach(() => fake.close());

const trainer = (...argv: string[]) => {
  const { env, trainer } = fake.options;
  const own = {
    PERPETUA_HOME: fake.folder,
    PERPETUA_TRAINER_CACHE: trainer.cache,
    PERPETUA_PYTHON: trainer.python ?? '',
  };
  return run(argv, { env: { ...env, ...own } });
};
const place = () =>
  trainerPaths('engine', { packageRoot: fake.options.packageRoot, cache: fake.options.trainer.cache });

test('install builds the environment once, and says where it is', async () => {
  fake = await fakeUv();
  const first = await trainer('trainer', 'install');
  expect(first.stdout).toContain('· installing the trainer: 3.1 GB to download, 5.4 GB on disk');
  expect(first.stdout).toContain(`✓ in ${place().folder}`);
  const second = await trainer('trainer', 'install', '--json');
  expect([second.code, second.json()]).toEqual([0, [{ folder: place().folder, python: place().python, made: false }]]);
});

test('install reports its failure with exit code 1, and with 2 if the interpreter does not fit', async () => {
  fake = await fakeUv({ otherCalls: 'echo "error: Failed to fetch: https://pypi.org" >&2; exit 2' });
  const away = await trainer('trainer', 'install');
  expect([away.code, away.stderr]).toEqual([1, expect.stringContaining('Failed to fetch: https://pypi.org')]);
  await fake.close();
  fake = await fakeUv({ version: '2, 7' });
  const old = await trainer('trainer', 'install');
  expect([old.code, old.stderr]).toEqual([2, expect.stringContaining('expected Python 3.11 to 3.14')]);
});

test('check says what is missing and what to run', async () => {
  fake = await fakeUv();
  const { code, stderr } = await trainer('trainer', 'check');
  expect(code).toBe(1);
  expect(stderr).toContain(`expected the trainer's environment in ${place().folder}`);
  expect(stderr).toContain('npx perpetua trainer install');
});

/** Installs an interpreter that answers as `python -m perpetua_trainer check` does. */
async function install(answer: string): Promise<void> {
  await mkdir(dirname(place().python), { recursive: true });
  await writeFile(place().python, `#!/bin/sh\n${answer}\n`);
  await chmod(place().python, 0o755);
}

test('check prints the versions and the device of the installed trainer', async () => {
  fake = await fakeUv();
  const found = { ok: true, versions: { torch: '2.13.0', threads: 1 }, gpus: [], gradient: 0.25 };
  await install(`echo '${JSON.stringify(found)}'`);
  expect((await trainer('trainer', 'check', '--json')).json()).toEqual([{ python: place().python, ...found }]);
  const checked = await trainer('trainer', 'check');
  expect(checked.stdout).toContain('✓ torch 2.13.0');
  expect(checked.stdout).toContain('✓ computes on cpu in float32');
});

test('check fails if the trainer cannot compute, in the words of the trainer', async () => {
  fake = await fakeUv();
  await install(`echo '{"failed": {"message": "RuntimeError: no CUDA"}}'; exit 1`);
  const { code, stderr } = await trainer('trainer', 'check');
  expect([code, stderr]).toEqual([1, expect.stringContaining('no CUDA')]);
});

test('doctor reports whether the trainer is installed, and how to install it', async () => {
  fake = await fakeUv();
  const before = await trainer('doctor');
  expect(before.stdout).toContain(`· trainer   not installed in ${fake.options.trainer.cache}`);
  expect(before.stdout).toContain('npx perpetua trainer install');
  await install('true');
  expect((await trainer('doctor')).stdout).toContain(`✓ trainer   installed in ${place().folder}`);
});
