import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describePrograms } from '../../../infra/python/describe-programs.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-programs-'));
const bin = join(base, 'venv/bin');
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Installs a package without code, as pip would record it. */
function install(name: string, version: string, modules: string): void {
  const lib = join(base, 'venv/lib');
  const [python = ''] = readdirSync(lib);
  const folder = join(lib, python, 'site-packages', `${name.replaceAll('-', '_')}-${version}.dist-info`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'METADATA'), `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`);
  writeFileSync(join(folder, 'top_level.txt'), `${modules}\n`);
}

beforeAll(() => {
  execFileSync('python3', ['-m', 'venv', '--without-pip', join(base, 'venv')]);
  install('scikit-learn', '1.5.0', 'sklearn');
  install('numpy', '2.1.0', 'numpy');
  install('unused-thing', '3.0', 'unused');
});

const describe = (command: string, modules: string[], path = [bin, dirname(process.execPath)]) =>
  describePrograms({ command, modules, path });

test('the Python of a run is described with the packages that its files import, and without paths', async () => {
  const [line = ''] = await describe('PYTHONHASHSEED=0 python3 train.py', ['sklearn', 'numpy', 'os']);
  expect(line).toMatch(/^Python 3\.\d+\.\w+ with numpy 2\.1\.0, scikit-learn 1\.5\.0, and 1 other package$/);
  expect(line).not.toContain(base);
  expect(await describe(`${bin}/python train.py`, ['numpy'], [])).toEqual([
    expect.stringMatching(/ with numpy 2\.1\.0, and 2 other packages$/) as string,
  ]);
});

test('a shell script with sources of Python uses python3, and a program of Node has a version', async () => {
  expect(await describe('sh run.sh', ['numpy'])).toEqual([expect.stringContaining('numpy 2.1.0') as string]);
  expect(await describe('node train.js', [])).toEqual([`Node ${process.versions.node}`]);
  expect(await describe('sh run.sh', [])).toEqual([]);
});

test('an interpreter that is missing or answers nonsense is left out', async () => {
  expect(await describe('python3 train.py', ['numpy'], [join(base, 'nowhere')])).toEqual([]);
  const odd = join(base, 'odd');
  mkdirSync(odd);
  writeFileSync(join(odd, 'python3'), '#!/bin/sh\necho "{\\"version\\": \\"../etc/passwd words\\"}"\n', {
    mode: 0o755,
  });
  expect(await describe('python3 train.py', ['numpy'], [odd, '/usr/bin', '/bin'])).toEqual([]);
});
