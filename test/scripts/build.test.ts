import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';

/** Source of a worker that prints the place of one of its modules. */
const WORKER = `import { place } from './place.ts';\nconsole.log(place());\n`;
const PLACE = `import { z } from 'zod';\nexport const place = (): string => z.string().parse(import.meta.url);\n`;

const PAGE = `import './style.css';\ndocument.title = 'here';\n`;

/** Source of a command line with a part. The command `place` prints the place of the part. */
const PROGRAM = `console.log(process.argv[2] === 'place' ? (await import('./part.ts')).place() : '{}');\n`;

/** Folder of the smallest clone that can be built. */
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
  await mkdir(join(clone, 'workers'));
  await writeFile(join(clone, 'workers/main.ts'), WORKER);
  await writeFile(join(clone, 'workers/place.ts'), PLACE);
  await mkdir(join(clone, 'cli'));
  await writeFile(join(clone, 'cli/main.ts'), PROGRAM);
  await writeFile(join(clone, 'cli/part.ts'), PLACE);
  await mkdir(join(clone, 'dashboard/web'), { recursive: true });
  const web = { 'main.tsx': PAGE, 'style.css': 'body { margin: 0 }', 'index.html': '<p>here', 'icon.svg': '<svg/>' };
  for (const [name, text] of Object.entries(web)) await writeFile(join(clone, 'dashboard/web', name), text);
});
afterAll(() => rm(clone, { recursive: true, force: true }));

const built = () =>
  execFileSync(process.execPath, ['-e', "import('./scripts/lib.mjs').then((lib) => lib.buildWithProgress())"], {
    cwd: clone,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('· still ')); // on a slow machine, every ten seconds

test('a build reports each long step before it begins, and no step if nothing changed', () => {
  const [compiling, bundling, ...rest] = built();
  expect(compiling).toBe('· compiling 7 files');
  expect(bundling).toBe('· bundling the workflows');
  expect(rest.at(-4)).toBe('· bundling the worker');
  expect(rest.at(-3)).toBe('· bundling the command line');
  expect(rest.at(-2)).toBe('· bundling the page');
  expect(rest.at(-1)).toMatch(
    /^✓ built 7 of 7 files and the workflow bundles and the worker and the command line and the page in [\d.]+ s$/,
  );
  expect(built()).toEqual(['✓ build is current']);
});

test('the worker is one file, and each module in it keeps the path beside which its assets lie', async () => {
  built();
  const alone = join(clone, 'dist', 'worker-bundle.js');
  await rm(join(clone, 'dist', 'workers'), { recursive: true });
  const output = execFileSync(process.execPath, [alone], { encoding: 'utf8' });
  expect(output).toBe(`${pathToFileURL(await realpath(join(clone, 'dist'))).href}/workers/place.js\n`);
});

test('a part of the command line keeps the path beside which its assets lie, and stays for one build', async () => {
  built();
  const place = () =>
    execFileSync(process.execPath, [join(clone, 'dist/cli/main.js'), 'place'], { encoding: 'utf8' }).trim();
  const parts = async () => (await readdir(join(clone, 'dist/cli-parts'))).filter((name) => name.startsWith('part-'));
  expect(place()).toBe(`${pathToFileURL(await realpath(join(clone, 'dist'))).href}/cli/part.js`);
  const before = await parts();
  expect(before).toEqual([expect.stringMatching(/\.js$/), expect.stringMatching(/\.js\.map$/)]);
  await writeFile(join(clone, 'cli/part.ts'), `export const place = (): string => 'elsewhere';\n`);
  expect(built().at(-1)).toMatch(/^✓ built 1 of 7 files and the command line in/);
  expect(place()).toBe('elsewhere');
  // A command that began before this build may still import the old part.
  const after = await parts();
  expect(after).toEqual(expect.arrayContaining(before));
  expect(after).toHaveLength(4);
  await writeFile(join(clone, 'cli/part.ts'), PLACE);
  expect(built().at(-1)).toMatch(/^✓ built 1 of 7 files and the command line in/);
  expect(await parts()).toHaveLength(4);
  await writeFile(join(clone, 'cli/part.ts'), `export const place = (): string => 'nowhere';\n`);
  built();
  expect((await parts()).filter((name) => after.includes(name))).toEqual(before);
});

test('commands notice that a build was killed, and the next build repeats all of its steps', async () => {
  const sources = ['workers/place.ts', 'cli/part.ts'].map((path) => join(clone, path));
  for (const path of sources) await writeFile(path, PLACE);
  built();
  const command = () =>
    spawnSync(process.execPath, [join(clone, 'scripts', 'perpetua.mjs'), 'status'], { encoding: 'utf8' }).stderr;
  for (const path of sources) await writeFile(path, `${PLACE}console.log('changed');\n`);
  const dies = "(step) => step.endsWith('the worker') && process.kill(process.pid, 'SIGKILL')";
  const program = `import('./scripts/build.mjs').then(({ build }) => build({ tell: ${dies} }))`;
  const killed = spawnSync(process.execPath, ['-e', program], { cwd: clone });
  expect(killed.signal).toBe('SIGKILL');
  expect(command()).toMatch(/^! dist\/ is older than 2 of the sources/);
  // The sources are as before the killed build, so its output must not stay.
  for (const path of sources) await writeFile(path, PLACE);
  expect(built().at(-1)).toMatch(/^✓ built 2 of 7 files and the worker and the command line in/);
  expect(await readFile(join(clone, 'dist/workers/place.js'), 'utf8')).not.toContain('changed');
  expect(command()).toBe('');
});

test('a command line that cannot be bundled is an error with its reason, and leaves no old one', async () => {
  await writeFile(join(clone, 'cli/main.ts'), `import './nowhere.ts';\n`);
  expect(built).toThrow(/build: the bundle of the command line failed:\n[^]*Could not resolve "\.\/nowhere\.ts"/);
  expect(existsSync(join(clone, 'dist/cli/main.js'))).toBe(false);
  await writeFile(join(clone, 'cli/main.ts'), PROGRAM);
  expect(built().at(-1)).toMatch(/^✓ built the command line in/);
});

test('a stack trace of the worker names the modules, though all are in one file', async () => {
  await writeFile(
    join(clone, 'workers/place.ts'),
    `export const place = () => new Error('here', { cause: 1 }).stack;\n`,
  );
  built();
  const trace = execFileSync(process.execPath, [join(clone, 'dist', 'worker-bundle.js')], { encoding: 'utf8' });
  expect(trace).toMatch(
    /^Error: here\n {4}at place \(file:.*\/dist\/worker-bundle\.js:\d+:\d+, workers\/place\.js\)\n/,
  );
  expect(trace).toMatch(/\n {4}at file:.*\/dist\/worker-bundle\.js:\d+:\d+, workers\/main\.js\n/);
  await writeFile(join(clone, 'workers/place.ts'), PLACE);
});

test('a worker that cannot be bundled is an error with its reason, and leaves no old one', async () => {
  built();
  await writeFile(join(clone, 'workers/main.ts'), `import { place } from './nowhere.ts';\nconsole.log(place());\n`);
  expect(built).toThrow(
    /build: the bundle of the worker failed:\n[^]*workers\/main\.js.*Could not resolve "\.\/nowhere\.js"/,
  );
  expect(existsSync(join(clone, 'dist', 'worker-bundle.js'))).toBe(false);
  await writeFile(join(clone, 'workers/main.ts'), WORKER);
  expect(built().at(-1)).toMatch(/^✓ built 1 of 7 files and the worker in/);
  expect(existsSync(join(clone, 'dist', 'worker-bundle.js'))).toBe(true);
});

test('a command that would run old code says so, unless it prints only its help or version', async () => {
  built();
  const command = (...words: string[]) =>
    spawnSync(process.execPath, [join(clone, 'scripts', 'perpetua.mjs'), ...words], { encoding: 'utf8' });
  const source = join(clone, 'workflows', 'trial.ts');
  // A checkout can change the time of a source and keep its content: such a source is not newer.
  await utimes(source, new Date(Date.now() + 60_000), new Date(Date.now() + 60_000));
  expect(command('status', '--json')).toMatchObject({ stdout: '{}\n', stderr: '' });
  await writeFile(source, 'export const one = async (): Promise<number> => 2;\n');
  await utimes(source, new Date(Date.now() + 60_000), new Date(Date.now() + 60_000));
  const { stdout, stderr } = command('status', '--json');
  expect(stdout).toBe('{}\n');
  expect(stderr).toBe('! dist/ is older than 1 of the sources (workflows/trial.ts): npm run build, or npm start\n');
  const added = join(clone, 'workflows', 'deep', 'added.ts');
  await mkdir(dirname(added));
  await writeFile(added, '');
  expect(command('status').stderr).toMatch(/older than 2 of the sources \(workflows\/deep\/added\.ts, …\)/);
  await rm(dirname(added), { recursive: true });
  for (const words of [['--help'], ['start', '-h'], ['--version'], ['-V']])
    expect(command(...words)).toMatchObject({ stdout: '{}\n', stderr: '' });
});

test('the output of npm while it installs does not enter the standard output of --json', async () => {
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

test('the page is four files, and a page that cannot be bundled leaves no old one', async () => {
  built();
  const page = join(clone, 'dist', 'dashboard', 'web');
  expect((await readdir(page)).sort()).toEqual(['icon.svg', 'index.html', 'page.css', 'page.js']);
  expect(existsSync(join(clone, 'dist', 'dashboard', 'web', 'main.js'))).toBe(false);
  await writeFile(join(clone, 'dashboard/web/main.tsx'), `import './nowhere.css';\n`);
  expect(built).toThrow(/build: the bundle of the page failed:\n[^]*Could not resolve "\.\/nowhere\.css"/);
  expect(existsSync(page)).toBe(false);
  await writeFile(join(clone, 'dashboard/web/main.tsx'), PAGE);
  expect(built().at(-1)).toMatch(/^✓ built the page in/);
});
