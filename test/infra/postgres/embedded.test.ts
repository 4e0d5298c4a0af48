import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { linkLibraries, packagedFolder } from '../../../infra/postgres/binaries.ts';
import { type EmbeddedPostgres, startPostgres } from '../../../infra/postgres/embedded.ts';
import { isAlive } from '../../../infra/process/identity.ts';
import { endsWithin, signalProcess } from '../../../infra/process/stop.ts';

const asRoot = process.getuid?.() === 0;
let home: string;
const running: EmbeddedPostgres[] = [];
const folders: string[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'perpetua-postgres-'));
  await chmod(home, 0o755);
  folders.push(home);
});
afterAll(async () => {
  for (const server of running) await server.stop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function start(dir = join(home, 'postgres'), port: number | null = null): Promise<EmbeddedPostgres> {
  const server = await startPostgres({ dir, logFile: join(home, 'logs', 'postgres.log'), port });
  running.push(server);
  return server;
}
async function query<T extends pg.QueryResultRow>(url: string, sql: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the embedded Postgres', () => {
  test('it starts with durable settings, on 127.0.0.1 only, with a password that only its owner can read', async () => {
    const server = await start();
    const settings = await query(
      server.url,
      `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
              current_setting('listen_addresses') as listens, current_database() as database, current_user as "user"`,
    );
    expect(settings).toEqual([
      { fsync: 'on', commit: 'on', listens: '127.0.0.1', database: 'perpetua', user: 'perpetua' },
    ]);
    expect(statSync(join(home, 'postgres', 'password')).mode & 0o777).toBe(0o600);
    await expect(query(server.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(
      /password authentication/,
    );
  });

  test('a second start adopts the server that still runs, with its process, port and rows', async () => {
    const first = await start();
    await query(first.url, 'create table kept (n int); insert into kept values (7)');
    const second = await start();
    expect(second).toMatchObject({ adopted: true, port: first.port, process: first.process });
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }]);
  });

  test('committed rows survive kill -9, and it comes back on the same port', async () => {
    const first = await start();
    await query(first.url, 'insert into kept values (8)');
    signalProcess(first.process, 'SIGKILL');
    expect(await endsWithin(first.process, 30_000)).toBe(true);
    const second = await start(undefined, first.port);
    expect(second).toMatchObject({ adopted: false, port: first.port });
    expect(await query(second.url, 'select n from kept order by n')).toEqual([{ n: 7 }, { n: 8 }]);
  });

  test('a postmaster.pid whose pid now belongs to another process does not prevent a start', async () => {
    const first = await start();
    await first.stop();
    expect(isAlive(first.process)).toBe(false);
    const stale = `${process.pid}\n${first.dataDir}\n1700000000\n${first.port}\n\n127.0.0.1\n0 0\nready\n`;
    await writeFile(join(first.dataDir, 'postmaster.pid'), stale);
    const second = await start();
    expect(second.adopted).toBe(false);
    expect(await query(second.url, 'select count(*)::int as n from kept')).toEqual([{ n: 2 }]);
  });

  test('a taken port is replaced by a free one', async () => {
    const blocker = await new Promise<Server>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
    });
    const { port } = blocker.address() as { port: number };
    await (await start()).stop();
    const server = await start(undefined, port);
    expect(server.port).not.toBe(port);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    blocker.close();
  });

  test('data of another major version is refused with a way out, and left as it is', async () => {
    const server = await start();
    await server.stop();
    await writeFile(join(server.dataDir, 'PG_VERSION'), '17\n');
    await expect(start()).rejects.toThrow(
      /found data of Postgres 17.*pg_dump of version 17.*pg_restore.*DATABASE_URL/s,
    );
    // The advice names no command that does not exist.
    await expect(start()).rejects.not.toThrow(/perpetua export/);
    await writeFile(join(server.dataDir, 'PG_VERSION'), '18\n');
    expect(await query((await start()).url, 'select count(*)::int as n from kept')).toEqual([{ n: 2 }]);
  });

  /**
   * Starts a database in a process and kills it with -9 once a file of this name exists; initdb itself goes on.
   * Returns false if the database was finished before.
   */
  async function killWhileItBegins(dir: string, name: RegExp): Promise<boolean> {
    const built = join(packageRoot(), 'dist/infra/postgres/embedded.js');
    const script = `import { startPostgres } from '${built}';
      await startPostgres({ dir: '${dir}', logFile: '${join(home, 'logs', 'killed.log')}', port: null });`;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'inherit' });
    const names = () => readdir(dir, { recursive: true }).catch(() => []);
    const exited = once(parent, 'exit');
    const isOver = (): boolean => parent.exitCode !== null || parent.signalCode !== null;
    while (!isOver() && !(await names()).some((file) => name.test(file))) await sleep(2);
    parent.kill('SIGKILL');
    await exited;
    return parent.signalCode === 'SIGKILL' && (await readdir(join(dir, 'data'))).length === 0;
  }

  test.each([
    ['before initdb', /^data\.initdb-\w+$/],
    ['while initdb is at work', /^data\.initdb-\w+\/PG_VERSION$/],
    ['while initdb fills the catalogue', /^data\.initdb-\w+\/base\/1\/\d+$/],
  ])('a start that is killed with -9 %s does not prevent the next', async (when, name) => {
    let dir = join(home, `killed ${when}`);
    for (let times = 1; !(await killWhileItBegins(dir, name)); times += 1) {
      expect(times).toBeLessThan(5);
      await (await start(dir)).stop();
      dir = join(home, `killed ${when}, ${times}`);
    }
    const server = await start(dir);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect((await readdir(dir)).sort()).toEqual(['data', 'password']);
  });

  test('library links that npm did not make are made', async () => {
    const native = join(home, 'package', 'native');
    await mkdir(join(native, 'lib'), { recursive: true });
    await cp(join(packagedFolder(), 'pg-symlinks.json'), join(native, 'pg-symlinks.json'));
    await linkLibraries(native);
    const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
      source: string;
      target: string;
    }[];
    for (const { source, target } of links)
      expect(`native/lib/${await readlink(join(native, '..', target))}`).toBe(source);
    expect(links.length).toBeGreaterThan(0);
  });

  test.runIf(asRoot)('the data of a home that only root can enter lies where its user can go', async () => {
    const dir = await mkdtemp(join(homedir(), '.perpetua-test-'));
    await chmod(dir, 0o700);
    folders.push(dir);
    const server = await start(join(dir, 'postgres'));
    folders.push(join(server.dataDir, '..'));
    expect(server.dataDir).toMatch(/^\/var\/lib\/perpetua\//);
    expect(await readlink(join(dir, 'postgres', 'data'))).toBe(server.dataDir);
    // The user of Postgres may put no links beside the data: root would follow them.
    expect(statSync(join(server.dataDir, '..'))).toMatchObject({ uid: 0, mode: 0o40711 });
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();

    const copy = join(dir, 'copy');
    await mkdir(copy);
    execFileSync('cp', ['-a', join(dir, 'postgres'), copy]);
    await expect(start(join(copy, 'postgres'))).rejects.toThrow(/looks like a copy/);
  });

  test.runIf(asRoot)(
    'a new home in the place of a removed one has an empty database, and the old data stays',
    async () => {
      const dir = await mkdtemp(join(homedir(), '.perpetua-test-'));
      await chmod(dir, 0o700);
      folders.push(dir);
      const old = await start(join(dir, 'postgres'));
      folders.push(join(old.dataDir, '..'));
      await query(old.url, 'create table kept (n int)');
      await old.stop();
      await rm(join(dir, 'postgres'), { recursive: true });

      const anew = await start(join(dir, 'postgres'));
      folders.push(join(anew.dataDir, '..'));
      expect(anew.olderDataDir).toBe(join(old.dataDir, '..'));
      expect(existsSync(join(old.dataDir, 'PG_VERSION'))).toBe(true);
      expect(await query(anew.url, `select from pg_class where relname = 'kept'`)).toEqual([]);
      await query(anew.url, 'create table new (n int)');
      await anew.stop();
      const again = await start(join(dir, 'postgres'));
      expect([again.dataDir, again.olderDataDir]).toEqual([anew.dataDir, null]);
      await again.stop();
    },
  );

  test.runIf(asRoot)('a home that was moved keeps its database, also beside a new one at its old place', async () => {
    const dir = await mkdtemp(join(homedir(), '.perpetua-test-'));
    await chmod(dir, 0o700);
    folders.push(dir);
    const old = await start(join(dir, 'postgres'));
    folders.push(join(old.dataDir, '..'));
    await old.stop();
    await rename(join(dir, 'postgres'), join(dir, 'moved'));
    const anew = await start(join(dir, 'postgres'));
    folders.push(join(anew.dataDir, '..'));
    const moved = await start(join(dir, 'moved'));
    expect(moved.dataDir).toBe(old.dataDir);
    expect(anew.dataDir).not.toBe(old.dataDir);
    await Promise.all([anew.stop(), moved.stop()]);

    execFileSync('cp', ['-a', join(dir, 'moved'), join(dir, 'copied')]);
    await expect(start(join(dir, 'copied'))).rejects.toThrow(/looks like a copy/);

    // Moved once more, with a link at the place before.
    await rename(join(dir, 'moved'), join(dir, 'further'));
    await symlink(join(dir, 'further'), join(dir, 'moved'));
    const further = await start(join(dir, 'further'));
    expect(further.dataDir).toBe(old.dataDir);
    await further.stop();
  });

  test('data that a person moved elsewhere, with a link to it, is still used', async () => {
    const dir = join(home, 'linked');
    const before = await start(dir);
    await query(before.url, 'create table kept (n int)');
    await before.stop();
    await rename(join(dir, 'data'), join(home, 'elsewhere'));
    await symlink(join(home, 'elsewhere'), join(dir, 'data'));
    const after = await start(dir);
    expect(await query(after.url, `select relname from pg_class where relname = 'kept'`)).toHaveLength(1);
    await after.stop();
  });

  test('a folder with other files in it is refused, and left as it is', async () => {
    const [dir, other] = [join(home, 'astray'), join(home, 'other')];
    await mkdir(dir);
    await mkdir(other);
    await writeFile(join(other, 'thesis.tex'), 'all');
    await symlink(other, join(dir, 'data'));
    await expect(start(dir)).rejects.toThrow(/Expected an empty folder or a database of Perpetua .* found thesis\.tex/);
    expect(await readFile(join(other, 'thesis.tex'), 'utf8')).toBe('all');
  });

  test.skipIf(asRoot)(
    'a folder whose parent is not writable is refused with advice (root may write everywhere)',
    async () => {
      const [dir, disks] = [join(home, 'disk'), join(home, 'disks')];
      await mkdir(dir);
      await mkdir(join(disks, 'one'), { recursive: true });
      await symlink(join(disks, 'one'), join(dir, 'data'));
      await chmod(disks, 0o555);
      await expect(start(dir).finally(() => chmod(disks, 0o755))).rejects.toThrow(
        /Expected initdb to make .*\/one; it failed: EACCES.* this process must be able to write in .*\/disks/,
      );
      expect(await readdir(disks)).toEqual(['one']);
    },
  );

  test('a password that is not the one of the data is reported at once', async () => {
    const dir = join(home, 'strange');
    const server = await start(dir);
    await writeFile(join(dir, 'password'), 'another');
    const said = /Expected Postgres to accept the password in postgres\/password .* [Rr]estore the file/;
    await expect(start(dir)).rejects.toThrow(said);
    await server.stop();
    await expect(start(dir)).rejects.toThrow(said);
  });

  test('the log is the file that the caller named', () => {
    expect(existsSync(join(home, 'logs', 'postgres.log'))).toBe(true);
  });
});
