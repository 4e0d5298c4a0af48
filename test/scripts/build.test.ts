import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';

/** A clone as small as a build can be. */
let clone: string;
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'perpetua-build-'));
  for (const name of ['scripts', 'tsconfig.json', 'package.json', 'package-lock.json'])
    await cp(join(packageRoot(), name), join(clone, name), { recursive: true });
  await symlink(join(packageRoot(), 'node_modules'), join(clone, 'node_modules'));
  await mkdir(join(clone, 'workflows'));
  for (const name of ['workflows/index.ts', 'workflows/trial.ts'])
    await writeFile(join(clone, name), 'export const one = async (): Promise<number> => 1;\n');
  const converter = `export { defaultPayloadConverter as payloadConverter } from '@temporalio/common';\n`;
  await writeFile(join(clone, 'workflows/payload-converter.ts'), converter);
  await writeFile(join(clone, 'workflows/interceptors.ts'), 'export const interceptors = () => ({});\n');
});
afterAll(() => rm(clone, { recursive: true, force: true }));

const built = () =>
  execFileSync(process.execPath, ['-e', `import('./scripts/lib.mjs').then(({ buildTold }) => buildTold())`], {
    cwd: clone,
    encoding: 'utf8',
  })
    .trim()
    .split('\n');

test('a build tells each long step before it begins, and is silent where nothing changed', () => {
  const [compiling, bundling, ...rest] = built();
  expect(compiling).toBe('· compiling 4 files');
  expect(bundling).toBe('· bundling the workflows');
  expect(rest.at(-1)).toMatch(/^✓ built 4 of 4 files and the workflow bundles in [\d.]+ s$/);
  expect(built()).toEqual(['✓ build is current']);
});

test('a command that would run old code says so, and one whose sources are as they were, or that tells of itself, does not', async () => {
  built();
  await mkdir(join(clone, 'dist', 'cli'), { recursive: true });
  await writeFile(join(clone, 'dist', 'cli', 'main.js'), `console.log('{}')`);
  const command = (...words: string[]) =>
    spawnSync(process.execPath, [join(clone, 'scripts', 'perpetua.mjs'), ...words], { encoding: 'utf8' });
  const source = join(clone, 'workflows', 'trial.ts');
  // As a checkout does it: another time, the same content.
  await utimes(source, new Date(Date.now() + 60_000), new Date(Date.now() + 60_000));
  expect(command('status', '--json')).toMatchObject({ stdout: '{}\n', stderr: '' });
  await writeFile(source, 'export const one = async (): Promise<number> => 2;\n');
  await utimes(source, new Date(Date.now() + 60_000), new Date(Date.now() + 60_000));
  const { stdout, stderr } = command('status', '--json');
  expect(stdout).toBe('{}\n');
  expect(stderr).toBe('! dist/ is older than 1 of the sources (workflows/trial.ts): npm run build, or npm start\n');
  for (const words of [['--help'], ['start', '-h'], ['--version'], ['-V']])
    expect(command(...words)).toMatchObject({ stdout: '{}\n', stderr: '' });
});

test('what npm prints while it installs does not enter the standard output of a machine', async () => {
  // A clone without packages, and an npm that needs no network.
  const bare = join(clone, 'bare');
  await cp(join(packageRoot(), 'scripts'), join(bare, 'scripts'), { recursive: true });
  await cp(join(packageRoot(), 'package-lock.json'), join(bare, 'package-lock.json'));
  const fake = join(clone, 'npm.js');
  await writeFile(fake, `console.log('added 1 package')`);
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['-e', `import('./scripts/lib.mjs').then(({ install }) => install())`, '--', '--json'],
    { cwd: bare, encoding: 'utf8', env: { ...process.env, npm_execpath: fake } },
  );
  expect(stdout).toBe('');
  expect(stderr).toMatch(/installing packages \(no packages yet\)\nadded 1 package\n/);
});
