// Runs before `npm pack`: builds, then writes the program as an installation needs it to dist/package. It changes no
// other file of dist/, from which this clone's own processes run.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWithProgress, install, requireNode } from '../lib.mjs';
import { dist, readManifest, root } from '../sources.mjs';
import { bundleProgram } from './bundle-program.mjs';
import { forInstallation } from './texts.mjs';

/** Folder of the staged program. Its package.json names no packages: npm reads the one at the package's top. */
export const stage = join(dist, 'package');

/** Built programs, relative to dist/. The parts of the command line are in the manifest of the build. */
const PROGRAMS = ['cli/main.js', 'worker-bundle.js', 'workflow-bundle.js', 'trial-bundle.js'];
/** Programs that the build compiles, and that become one file here. */
const BUNDLED = ['dashboard/server/main.js', 'infra/evaluate/artefact/search-thread.js'];
/** Files that programs read in dist/, by folder: all but code, and all of the page. */
const DATA = [
  { folder: 'dist/dashboard/web', pattern: /\.(html|css|svg|js)$/ },
  { folder: 'dist/db/migrations', pattern: /\.sql$|\/_journal\.json$/ },
  { folder: 'dist/infra', pattern: /\.(sh|mjs)$|\/go\.(mod|sum)$/ },
];
/** Tasks that come with Perpetua. In a clone, `start --source` makes other tasks in the same folder. */
const TASKS = [
  ...Object.keys(JSON.parse(readFileSync(join(root, 'tasks/catalog.json'), 'utf8'))),
  'template',
  'template-python',
];
/** Files that are copied from the clone: the tasks that come with Perpetua, the trainer, and the guides. */
const COPIED = [
  ...TASKS.map((task) => ({ folder: `tasks/${task}`, pattern: /./ })),
  { folder: 'tasks', pattern: /^tasks\/(task\.schema|catalog)\.json$/ },
  { folder: 'trainer/perpetua_trainer', pattern: /\.py$/ },
  { folder: 'trainer', pattern: /^trainer\/(README\.md|requirements(-test)?\.lock)$/ },
  { folder: 'optimizer', pattern: /\.(py|lock)$/ },
  { folder: 'agents', pattern: /\.(yaml|json|lock)$/ },
  ...['concepts', 'guides', 'reference'].map((part) => ({ folder: `docs/${part}`, pattern: /\.md$/ })),
  { folder: 'docs', pattern: /^docs\/README\.md$/ },
  { folder: 'skills', pattern: /\.md$/ },
];
/** WebAssembly of packages that are bundled, which goes to `grammars` (config/paths.ts). */
const GRAMMARS = [
  'node_modules/web-tree-sitter/web-tree-sitter.wasm',
  ...['python', 'javascript', 'typescript'].map(
    (language) => `node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-${language}.wasm`,
  ),
];
/** Files whose text names commands for people. A task's own files are data: their hash is the task's. */
const HAS_COMMANDS = /^(dist\/.*\.js|(docs|skills)\/.*\.md|trainer\/README\.md|tasks\/[^/]+\/README\.md)$/;

/** Writes the staged program, from a current build. */
export async function stagePackage() {
  rmSync(stage, { recursive: true, force: true });
  const { version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  write('package.json', JSON.stringify({ name: 'perpetua', version, type }));
  const { parts = [] } = readManifest();
  for (const path of [...PROGRAMS, ...parts.filter((name) => name.endsWith('.js'))]) copy(`dist/${path}`);
  for (const { folder, pattern } of [...DATA, ...COPIED])
    for (const path of listFiles(folder)) if (pattern.test(path)) copy(path);
  mkdirSync(join(stage, 'grammars'), { recursive: true });
  for (const path of GRAMMARS) copyFileSync(join(root, path), join(stage, 'grammars', basename(path)));
  for (const path of BUNDLED)
    write(`dist/${path}`, forInstallation(`dist/${path}`, await bundleProgram({ root, dist, path })));
}

/** Lists the files below a folder of the clone, without hidden ones and what Python compiled. */
function listFiles(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.name.startsWith('.') || entry.name === '__pycache__') return [];
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

function copy(path) {
  const from = join(root, path);
  if (HAS_COMMANDS.test(path)) write(path, forInstallation(path, readFileSync(from, 'utf8')), statSync(from).mode);
  else {
    mkdirSync(dirname(join(stage, path)), { recursive: true });
    copyFileSync(from, join(stage, path));
  }
}

function write(path, text, mode = 0o644) {
  mkdirSync(dirname(join(stage, path)), { recursive: true });
  writeFileSync(join(stage, path), text, { mode: mode & 0o777 });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  requireNode();
  try {
    await install();
    await buildWithProgress();
    await stagePackage();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
