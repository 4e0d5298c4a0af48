import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockHome } from '../../../../cli/up/stack/lock-home.ts';

test('a home that nobody can make is refused with the variable that names another one', () => {
  const file = join(tmpdir(), `perpetua-no-folder-${process.pid}`);
  writeFileSync(file, '');
  const home = join(file, '.perpetua');
  expect(() => lockHome(home)).toThrow(
    `Expected the home ${home} to be a folder where you may write; got ENOTDIR: not a directory. Set PERPETUA_HOME`,
  );
  rmSync(file);
});
