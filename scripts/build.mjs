// Sources to dist/, only what changed; then the bundles of the workflows, of the worker and of the page. `npm run check` checks types.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePage, removePage } from './bundle-page.mjs';
import { bundleWorker } from './bundle-worker.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const manifestFile = join(dist, '.build.json');
/** Folders that are compiled, with everything beside the code that the code reads (migrations, scripts, templates). */
const FOLDERS = ['activities', 'bench', 'cli', 'config', 'dashboard', 'db', 'domain', 'infra', 'workers', 'workflows'];
/** Of these only the code at the top: below lie research problems, which are data. */
const FLAT = ['tasks', 'tasks/curves', 'tasks/folder', 'tasks/yaml'];
/** The page is bundled from its sources, which alone mean nothing to Node. */
const PAGE = /^dashboard\/web\//;
const SKIPPED = /(^|\/)(node_modules|drizzle\.config\.ts)(\/|$)|\.d\.ts$/;
const BUNDLED = /^(workflows|domain)\//;
const IN_PAGE = /^(dashboard\/(web|api)|domain)\//;
const IN_WORKER = /^(activities|config|db|domain|infra|tasks|workers|workflows)\/.*\.ts$/;

/**
 * Brings dist/ up to date; `force` builds all of it. Tells each long step before it begins, and returns what it did, in
 * words. Throws where the bundle fails.
 */
export async function build({ force = false, tell = () => {} } = {}) {
  const began = performance.now();
  const sources = listSources();
  const before = force ? { files: {} } : readManifest();
  const files = Object.fromEntries(sources.map((path) => [path, hashOf(readFileSync(join(root, path)))]));
  const tools = hashOf(
    readFileSync(join(root, 'tsconfig.json')),
    readFileSync(join(root, 'package-lock.json')),
    ...['build.mjs', 'bundle-page.mjs', 'bundle-worker.mjs'].map((name) => readFileSync(join(root, 'scripts', name))),
  );
  const same = before.tools === tools;
  const compiled = sources.filter((path) => !PAGE.test(path));
  const changed = compiled.filter((path) => !same || files[path] !== before.files[path] || !existsSync(targetOf(path)));
  const gone = Object.keys(before.files).filter((path) => files[path] === undefined);
  for (const path of gone) for (const suffix of ['', '.map']) rmSync(targetOf(path) + suffix, { force: true });
  if (changed.length > 0) {
    tell(`compiling ${changed.length} files`);
    await emit(changed);
  }
  const keyOf = (parts) =>
    hashOf(tools, ...sources.filter((path) => parts.test(path)).map((path) => path + files[path]));
  const { bundle, worker, page } = before;
  // Noted before the bundles, which may fail on their own.
  write(manifestFile, JSON.stringify({ tools, files, bundle, worker, page }));
  const workflows = await bundleWorkflows(keyOf(BUNDLED), { before, tell });
  write(manifestFile, JSON.stringify({ tools, files, bundle: workflows.key, worker, page }));
  const program = await makeWorker(keyOf(IN_WORKER), { before, tell });
  const made = { tools, files, bundle: workflows.key, worker: program.key };
  write(manifestFile, JSON.stringify({ ...made, page }));
  const shown = await makePage(keyOf(IN_PAGE), { before, tell });
  write(manifestFile, JSON.stringify({ ...made, page: shown.key }));
  const parts = [
    ...(changed.length > 0 || gone.length > 0 ? [`${changed.length} of ${compiled.length} files`] : []),
    ...(workflows.made ? ['the workflow bundles'] : []),
    ...(program.made ? ['the worker'] : []),
    ...(shown.made ? ['the page'] : []),
  ];
  if (parts.length === 0) return 'build is current';
  return `built ${parts.join(' and ')} in ${((performance.now() - began) / 1000).toFixed(1)} s`;
}

/**
 * The sources that were changed or added since the last build, of which dist/ knows nothing. Only those are read that were
 * touched since, so that it takes no time where nothing was.
 */
export function staleSources() {
  if (!existsSync(manifestFile)) return [];
  const { files } = readManifest();
  const builtAt = statSync(manifestFile).mtimeMs;
  return listSources().filter((path) => {
    if (files[path] === undefined) return true;
    if (statSync(join(root, path)).mtimeMs <= builtAt) return false;
    return files[path] !== hashOf(readFileSync(join(root, path)));
  });
}

async function emit(paths) {
  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  // Every file here is an ES module; alone, without its package.json, the compiler cannot know.
  const module = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
  const compilerOptions = { ...options, ...module, noEmit: false, sourceMap: true };
  for (const path of paths) {
    const from = join(root, path);
    const target = targetOf(path);
    if (!path.endsWith('.ts')) {
      write(target, readFileSync(from), statSync(from).mode & 0o777);
      continue;
    }
    await new Promise((resolve) => setImmediate(resolve)); // so that a timer is heard
    const { outputText, sourceMapText } = ts.transpileModule(readFileSync(from, 'utf8'), {
      compilerOptions,
      fileName: from,
    });
    write(`${target}.map`, sourceMapText ?? '');
    write(target, outputText, path === 'cli/main.ts' ? 0o755 : undefined);
  }
}

/** Bundles and what they are made from: trials have a small one, since each evaluates its own copy. */
const BUNDLES = { 'workflow-bundle.js': 'index.js', 'trial-bundle.js': 'trial.js' };

async function bundleWorkflows(key, { before, tell }) {
  const targets = Object.keys(BUNDLES).map((name) => join(dist, name));
  if (key === before.bundle && targets.every((target) => existsSync(target))) return { key, made: false };
  tell('bundling the workflows');
  for (const [name, source] of Object.entries(BUNDLES)) await bundleOne(join(dist, name), source);
  return { key, made: true };
}

async function bundleOne(target, source) {
  const workflowsPath = join(dist, 'workflows', source);
  const payloadConverterPath = join(dist, 'workflows', 'payload-converter.js');
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const said = [];
  const keep = (level) => (message) => void said.push(`${level} ${message}`);
  const logger = { log: keep(''), trace() {}, debug() {}, info() {}, warn: keep('WARN'), error: keep('ERROR') };
  try {
    const workflowInterceptorModules = [join(dist, 'workflows', 'interceptors.js')];
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      payloadConverterPath,
      workflowInterceptorModules,
      logger,
    });
    write(target, code);
  } catch (error) {
    rmSync(target, { force: true }); // an old one would run old workflows with new activities
    const reasons = said.join('\n').match(/^ERROR in .*\n.*/gm) ?? [error.message, ...said];
    throw new Error(`build: the bundle of workflows/${source} failed:\n${reasons.join('\n')}`, { cause: error });
  }
}

const WORKER = 'worker-bundle.js';

async function makeWorker(key, { before, tell }) {
  const target = join(dist, WORKER);
  if (key === before.worker && existsSync(target)) return { key, made: false };
  tell('bundling the worker');
  const { code, map } = await bundleWorker({ root, dist, name: WORKER }).catch((error) => {
    rmSync(target, { force: true }); // an old one would run old activities with new workflows
    throw new Error(`build: the bundle of the worker failed:\n${error.message}`, { cause: error });
  });
  write(`${target}.map`, map);
  write(target, code);
  return { key, made: true };
}

async function makePage(key, { before, tell }) {
  if (key === before.page && existsSync(join(dist, 'dashboard', 'web', 'page.js'))) return { key, made: false };
  tell('bundling the page');
  await bundlePage({ root, dist }).catch((error) => {
    removePage(dist);
    throw new Error(`build: the bundle of the page failed:\n${error.message}`, { cause: error });
  });
  return { key, made: true };
}

function listSources() {
  const all = [];
  for (const folder of [...FOLDERS, ...FLAT]) {
    if (!existsSync(join(root, folder))) continue;
    for (const entry of readdirSync(join(root, folder), { recursive: !FLAT.includes(folder), withFileTypes: true })) {
      const path = `${join(entry.parentPath ?? entry.path, entry.name).slice(root.length)}`.replaceAll('\\', '/');
      if (entry.isFile() && !SKIPPED.test(path) && (FOLDERS.includes(folder) || path.endsWith('.ts'))) all.push(path);
    }
  }
  return all.sort();
}

/** Whole files by rename, since processes of an earlier build may be reading. */
function write(path, content, mode) {
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.${process.pid}.next`;
  writeFileSync(next, content);
  if (mode !== undefined) chmodSync(next, mode);
  renameSync(next, path);
}

function readManifest() {
  try {
    return JSON.parse(readFileSync(manifestFile, 'utf8'));
  } catch {
    return { files: {} }; // none yet, or cut off: build all
  }
}

const targetOf = (path) => join(dist, path.replace(/\.ts$/, '.js'));
function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(await build({ force: process.argv.includes('--force') }));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
