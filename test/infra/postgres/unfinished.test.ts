import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataFolder, DataRefusedError } from '../../../infra/postgres/data-folder.ts';
import { readPassword } from '../../../infra/postgres/init.ts';
import { postgresUser } from '../../../infra/postgres/os-user.ts';
import { clearUnfinished } from '../../../infra/postgres/unfinished.ts';

const asRoot = process.getuid?.() === 0;
const user = postgresUser(null);
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'perpetua-unfinished-'));
  await chmod(home, 0o755);
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Makes an unfinished folder of initdb, which belongs to the user of Postgres. */
async function makeHalf(path: string): Promise<void> {
  for (const folder of [path, join(path, 'base')]) {
    await mkdir(folder);
    if (user) await chown(folder, user.uid, user.gid);
  }
}

test('leftovers of killed starts beside the data are removed, and no folder with a similar name', async () => {
  const at = (name: string): string => join(home, name);
  for (const name of ['pg.initdb-aB3def', 'pg.initdb-xyz123.removed']) await makeHalf(at(name));
  await writeFile(at('pg.initdb-aB3def.pw'), 'secret');
  for (const name of ['pg.initdb-notes-of-mine', 'pg.initdb-abc', 'other.initdb-aB3def']) await mkdir(at(name));
  await clearUnfinished(at('pg'), user);
  expect((await readdir(home)).sort()).toEqual(['other.initdb-aB3def', 'pg.initdb-abc', 'pg.initdb-notes-of-mine']);
});

test.runIf(asRoot)(
  'files that the user of Postgres cannot remove are not removed as root, whatever links lead to them',
  async () => {
    const [half, precious] = [join(home, 'db.initdb-linked'), join(home, 'precious')];
    await makeHalf(half);
    await mkdir(precious);
    await writeFile(join(precious, 'file'), 'kept');
    await symlink(precious, join(half, 'link'));
    // A folder of root in the middle, which only root could remove.
    await mkdir(join(half, 'base/of-root'));
    await writeFile(join(half, 'base/of-root/file'), 'kept');
    await expect(clearUnfinished(join(home, 'db'), user)).rejects.toThrow(/ENOTEMPTY/);
    expect(existsSync(join(precious, 'file'))).toBe(true);
    expect(existsSync(join(`${half}.removed`, 'base/of-root/file'))).toBe(true);
  },
);

test.runIf(asRoot)(
  'a link to an empty folder of another user is refused, since root would put a new one there',
  async () => {
    const [dir, other] = [join(home, 'home'), join(home, 'of-root')];
    await mkdir(dir);
    await mkdir(other);
    await symlink(other, join(dir, 'data'));
    await expect(dataFolder(dir, user)).rejects.toThrow(DataRefusedError);
    await expect(dataFolder(dir, user)).rejects.toThrow(/to belong to \S+ \(uid \d+\).* belongs to uid 0\. Run chown/);
    await chown(other, user?.uid ?? 0, user?.gid ?? 0);
    expect((await dataFolder(dir, user)).path).toBe(other);
  },
);

test('an empty password, as a power cut leaves it, is replaced unless a database was made with it', async () => {
  const dir = join(home, 'cut');
  await mkdir(dir);
  await writeFile(join(dir, 'password'), '');
  const made = await readPassword(dir);
  expect(made).toMatch(/^\S{32}$/);
  expect(await readPassword(dir)).toBe(made);
  await mkdir(join(dir, 'data'));
  await writeFile(join(dir, 'data/PG_VERSION'), '18\n');
  await writeFile(join(dir, 'password'), '');
  expect(await readPassword(dir)).toBe('');
});
