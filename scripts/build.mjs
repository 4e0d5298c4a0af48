// Builds dist/ from the changed sources, then the bundles of the workflows, the worker, the command line and the page.
// It does not check types: `npm run check` does.
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
import { bundleCommand, PARTS } from './bundle-command.mjs';
import { bundlePage, removePage } from './bundle-page.mjs';
import { bundleWorker } from './bundle-worker.mjs';
import { dist, hashOf, listSources, manifestFile, readManifest, root } from './sources.mjs';

/** Sources of the page, which are only bundled: Node cannot run them. */
const PAGE = /^dashboard\/web\//;
/** Program of the command line, which is bundled from its sources. */
const PROGRAM = 'cli/main.ts';
const TOOLS = ['build.mjs', 'bundle-command.mjs', 'bundle-page.mjs', 'bundle-worker.mjs', 'sources.mjs'];
const BUNDLED = /^(workflows|view|domain)\//;
const IN_PAGE = /^(dashboard\/(web|api)|view|domain)\//;
const IN_COMMAND = /^(?!(activities|bench|dashboard|workers|workflows)\/).*\.ts$/;
const IN_WORKER = /^(activities|config|db|domain|infra|tasks|view|workers|workflows)\/.*\.ts$/;

/**
 * Brings dist/ up to date; `force` builds everything. Calls `tell` before each long step. Returns a sentence about the
 * work that was done. Throws if a bundle fails.
 */
export async function build({ force = false, tell = () => {} } = {}) {
  const began = performance.now();
  const { paths, folders } = listSources();
  const sources = paths.sort();
  const before = force ? { files: {} } : readManifest();
  const files = Object.fromEntries(sources.map((path) => [path, hashOf(readFileSync(join(root, path)))]));
  const tools = hashOf(
    readFileSync(join(root, 'tsconfig.json')),
    readFileSync(join(root, 'package-lock.json')),
    ...TOOLS.map((name) => readFileSync(join(root, 'scripts', name))),
  );
  const same = before.tools === tools;
  const compiled = sources.filter((path) => !PAGE.test(path) && path !== PROGRAM);
  const changed = compiled.filter((path) => !same || files[path] !== before.files[path] || !existsSync(targetOf(path)));
  const gone = Object.keys(before.files).filter((path) => files[path] === undefined);
  for (const path of gone) for (const suffix of ['', '.map']) rmSync(targetOf(path) + suffix, { force: true });
  const keyOf = (parts) =>
    hashOf(tools, ...sources.filter((path) => parts.test(path)).map((path) => path + files[path]));
  const keys = {
    bundle: keyOf(BUNDLED),
    worker: keyOf(IN_WORKER),
    command: keyOf(IN_COMMAND),
    page: keyOf(IN_PAGE),
  };
  // During the build, the manifest has no hash of files that are built: a build that fails or is killed is noticed.
  const isKept = (path) => same && files[path] === before.files[path] && !changed.includes(path);
  saveManifest({
    ...Object.fromEntries(Object.entries(keys).filter(([name, key]) => key === before[name])),
    tools,
    folders,
    parts: before.parts,
    files: Object.fromEntries(sources.map((path) => [path, isKept(path) ? files[path] : null])),
  });
  if (changed.length > 0) {
    tell(`compiling ${changed.length} files`);
    await emit(changed);
  }
  const workflows = await bundleWorkflows(keys.bundle, { before, tell });
  const worker = await makeWorker(keys.worker, { before, tell });
  const command = await makeCommand(keys.command, { before, tell });
  const page = await makePage(keys.page, { before, tell });
  saveManifest({ ...keys, tools, files, folders, parts: command.parts });
  const built = [];
  if (changed.length > 0 || gone.length > 0) built.push(`${changed.length} of ${compiled.length} files`);
  if (workflows.made) built.push('the workflow bundles');
  if (worker.made) built.push('the worker');
  if (command.made) built.push('the command line');
  if (page.made) built.push('the page');
  if (built.length === 0) return 'build is current';
  return `built ${built.join(' and ')} in ${((performance.now() - began) / 1000).toFixed(1)} s`;
}

const saveManifest = (manifest) => write(manifestFile, JSON.stringify(manifest));

async function emit(paths) {
  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  // Every file is an ES module. The compiler cannot infer that from a single file, without package.json.
  const module = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
  const compilerOptions = { ...options, ...module, noEmit: false, sourceMap: true };
  for (const path of paths) {
    const from = join(root, path);
    const target = targetOf(path);
    if (!path.endsWith('.ts')) {
      write(target, readFileSync(from), statSync(from).mode & 0o777);
      continue;
    }
    await new Promise((resolve) => setImmediate(resolve)); // lets the timer of the progress lines run
    const { outputText, sourceMapText } = ts.transpileModule(readFileSync(from, 'utf8'), {
      compilerOptions,
      fileName: from,
    });
    write(`${target}.map`, sourceMapText ?? '');
    write(target, outputText);
  }
}

/** Workflow bundles and their entry files. Trials have a small bundle, since each workflow evaluates its own copy. */
const BUNDLES = { 'workflow-bundle.js': 'index.js', 'trial-bundle.js': 'trial.js' };

async function bundleWorkflows(key, { before, tell }) {
  const targets = Object.keys(BUNDLES).map((name) => join(dist, name));
  if (key === before.bundle && targets.every((target) => existsSync(target))) return { made: false };
  tell('bundling the workflows');
  for (const [name, source] of Object.entries(BUNDLES)) await bundleOne(join(dist, name), source);
  return { made: true };
}

async function bundleOne(target, source) {
  const workflowsPath = join(dist, 'workflows', source);
  const payloadConverterPath = join(dist, 'workflows', 'payload-converter.js');
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const messages = [];
  const keep = (level) => (message) => {
    messages.push(`${level} ${message}`);
  };
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
    rmSync(target, { force: true }); // an old bundle would run old workflows with new activities
    const reasons = messages.join('\n').match(/^ERROR in .*\n.*/gm) ?? [error.message, ...messages];
    throw new Error(`build: the bundle of workflows/${source} failed:\n${reasons.join('\n')}`, { cause: error });
  }
}

const WORKER = 'worker-bundle.js';

async function makeWorker(key, { before, tell }) {
  const target = join(dist, WORKER);
  if (key === before.worker && existsSync(target)) return { made: false };
  tell('bundling the worker');
  const { code, map } = await bundleWorker({ root, dist, name: WORKER }).catch((error) => {
    rmSync(target, { force: true }); // an old bundle would run old activities with new workflows
    throw new Error(`build: the bundle of the worker failed:\n${error.message}`, { cause: error });
  });
  write(`${target}.map`, map);
  write(target, code);
  return { made: true };
}

/**
 * Writes the parts before the program that imports them. Keeps the parts of the previous build for one more build: a
 * command that began before this build may still import them.
 */
async function makeCommand(key, { before, tell }) {
  const program = join(dist, PROGRAM.replace(/ts$/, 'js'));
  if (key === before.command && existsSync(program)) return { parts: before.parts, made: false };
  tell('bundling the command line');
  const { files } = await bundleCommand({ root, dist }).catch((error) => {
    rmSync(program, { force: true }); // an old program would read the data of new workers
    throw new Error(`build: the bundle of the command line failed:\n${error.message}`, { cause: error });
  });
  const parts = Object.keys(files).filter((path) => path.startsWith(`${PARTS}/`));
  for (const path of parts) write(join(dist, path), files[path]);
  for (const path of Object.keys(files).filter((path) => !parts.includes(path)))
    write(join(dist, path), files[path], path.endsWith('.js') ? 0o755 : undefined);
  const known = before.parts === undefined ? null : new Set([...before.parts, ...parts]);
  for (const name of readdirSync(join(dist, PARTS)))
    if (known?.has(`${PARTS}/${name}`) === false) rmSync(join(dist, PARTS, name));
  return { parts, made: true };
}

async function makePage(key, { before, tell }) {
  if (key === before.page && existsSync(join(dist, 'dashboard', 'web', 'page.js'))) return { made: false };
  tell('bundling the page');
  await bundlePage({ root, dist }).catch((error) => {
    removePage(dist);
    throw new Error(`build: the bundle of the page failed:\n${error.message}`, { cause: error });
  });
  return { made: true };
}

/** Writes a file and renames it, so that processes of an earlier build never read half a file. */
function write(path, content, mode) {
  mkdirSync(dirname(path), { recursive: true });
  const next = `${path}.${process.pid}.next`;
  writeFileSync(next, content);
  if (mode !== undefined) chmodSync(next, mode);
  renameSync(next, path);
}

const targetOf = (path) => join(dist, path.replace(/\.ts$/, '.js'));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(await build({ force: process.argv.includes('--force') }));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
