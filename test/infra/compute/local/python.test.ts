import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { requireWorldReadable } from '../../../../infra/compute/local/python.ts';
import { builtPython } from '../../../../infra/python/built.ts';

const home = mkdtempSync(join(tmpdir(), 'perpetua-open-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('a Python below a folder that is closed to others is refused with that folder', async () => {
  const folder = join(home, 'closed', 'versions', '3.11.7');
  mkdirSync(folder, { recursive: true });
  chmodSync(home, 0o755);
  await requireWorldReadable({ bin: '/usr/bin', show: [folder] });
  chmodSync(join(home, 'closed'), 0o700);
  await expect(requireWorldReadable({ bin: '/usr/bin', show: [folder] })).rejects.toThrow(
    `${join(home, 'closed')} is closed to others`,
  );
});

test.each([
  ['of the system, which every sandbox shows', '/usr/bin/python3.11', []],
  ['of pyenv', '/root/.pyenv/versions/3.11.7/bin/python3.11', ['/root/.pyenv/versions/3.11.7']],
  ['that uv fetched', '/h/stages/env1_2/data/python/cpython-3.14/bin/python3.14', []],
  ['right in a home directory, with no more of it than that', '/home/me/bin/python3', ['/home/me/bin', '/home/me/lib']],
])('a sandbox shows beside the environment the folders of an interpreter %s', async (_, real, shown) => {
  const data = '/h/stages/env1_2/data';
  const look = async () => [{ real, folder: false }];
  expect(await builtPython(look, data)).toEqual({ bin: `${data}/venv/bin`, show: [data, ...shown] });
});
