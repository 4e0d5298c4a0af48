// Lists the sources of dist/, and the sources that are newer than dist/. Every command runs this check, so it must be
// fast and loads no bundler.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const dist = join(root, 'dist');
export const manifestFile = join(dist, '.build.json');
/** Folders that are compiled, with the files that the code reads (migrations, scripts, templates). */
const FOLDERS = [
  'activities',
  'bench',
  'cli',
  'config',
  'dashboard',
  'db',
  'domain',
  'infra',
  'steering',
  'view',
  'workers',
  'workflows',
];
/** Folders in which only top-level code is compiled: their subfolders have research problems, which are data. */
const FLAT = ['tasks', 'tasks/curves', 'tasks/folder', 'tasks/yaml'];
const SKIPPED = /(^|\/)drizzle\.config\.ts$|\.d\.ts$/;

/**
 * Lists the paths of all sources, relative to the clone, and the change time of each listed folder in ms; null: no such
 * folder. A folder's time is read before its entries: it changes with them.
 */
export function listSources() {
  const [paths, folders] = [[], {}];
  for (const folder of FOLDERS) listFolder(folder, { paths, folders, deep: true });
  for (const folder of FLAT) listFolder(folder, { paths, folders, deep: false });
  return { paths, folders };
}

function listFolder(folder, { paths, folders, deep }) {
  folders[folder] = timeOf(folder);
  if (folders[folder] === null) return;
  for (const entry of readdirSync(root + folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (deep && entry.name !== 'node_modules') listFolder(path, { paths, folders, deep });
    } else if (entry.isFile() && !SKIPPED.test(path) && (deep || path.endsWith('.ts'))) paths.push(path);
  }
}

const timeOf = (path) => statSync(root + path, { throwIfNoEntry: false })?.mtimeMs ?? null;

/**
 * Finds the sources that were changed or added since the last build. Lists folders only if a folder's time has changed.
 * Reads a source only if its time is later than the build's: a checkout changes times, not always contents.
 */
export function staleSources() {
  const { files, folders = {}, builtAt } = readManifest();
  if (builtAt === null) return [];
  const known = Object.entries(folders);
  const isListed = known.length > 0 && known.every(([folder, time]) => timeOf(folder) === time);
  const isStale = (path) => {
    if (!files[path]) return true;
    const time = timeOf(path);
    if (time === null || time <= builtAt) return false;
    return files[path] !== hashOf(readFileSync(root + path));
  };
  return (isListed ? Object.keys(files) : listSources().paths).filter(isStale).sort();
}

/**
 * Reads the manifest of the last build, with its time in ms as `builtAt`. Without a readable manifest: no files, and
 * null. An interrupted build leaves null instead of the hash of each source that it had to build.
 */
export function readManifest() {
  try {
    const builtAt = statSync(manifestFile).mtimeMs;
    return { ...JSON.parse(readFileSync(manifestFile, 'utf8')), builtAt };
  } catch {
    return { files: {}, builtAt: null };
  }
}

export function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
