import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findLocalPythons } from '../../../infra/python/find-local.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'perpetua pythons-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Makes a program that answers as an interpreter of this version; `target`: the interpreter behind a shim. */
function python(path: string, version: string, target = path): string {
  const file = join(base, path);
  mkdirSync(dirname(file), { recursive: true });
  const [folder, real] = [dirname(dirname(join(base, target))), join(base, target)].map((name) =>
    name.replaceAll(' ', '\\x20'),
  );
  writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' '${version} ${folder} ${real} build-${version}'\n`);
  chmodSync(file, 0o755);
  return file;
}

const find = (version: string) =>
  findLocalPythons(version, { HOME: join(base, 'home'), PATH: `${join(base, 'bin')}:relative:/usr/bin:/bin` });

test('an interpreter is found on the PATH, behind a shim, among versions of pyenv and among those of uv', async () => {
  const onPath = python('bin/python3', '3.71.2');
  python('bin/python3.72', '3.72.0', 'home/.pyenv/versions/3.72.0/bin/python3.72');
  const ofPyenv = python('home/.pyenv/versions/3.73.5/bin/python3', '3.73.5');
  python('home/.pyenv/versions/3.74.0/bin/python3', '3.74.0');
  const ofUv = python('home/.local/share/uv/python/cpython-3.75.1-linux/bin/python3', '3.75.1');
  expect((await find('3.71')).fits).toEqual({
    version: '3.71.2',
    folder: base,
    path: onPath,
    build: 'build-3.71.2',
  });
  expect((await find('3.72')).fits?.path).toBe(join(base, 'home/.pyenv/versions/3.72.0/bin/python3.72'));
  expect((await find('3.73.5')).fits?.path).toBe(ofPyenv);
  expect((await find('3.75')).fits?.path).toBe(ofUv);
});

test('a version that is not installed is reported with those that are, and 3.7 does not match 3.71', async () => {
  for (const version of ['3.7', '3.73.4']) {
    const { fits, others, machine } = await find(version);
    expect(fits).toBeNull();
    const versions = others.map(({ version: installed }) => installed);
    expect(versions).toEqual(expect.arrayContaining(['3.71.2', '3.73.5', '3.74.0', '3.75.1']));
    expect(machine).toMatch(/^\w+ \w+$/);
  }
});
