// The sources of dist/, and which of them dist/ does not know yet. Every command checks that, so this loads no bundler.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const dist = join(root, 'dist');
export const manifestFile = join(dist, '.build.json');
/** Folders that are compiled, with everything beside the code that the code reads (migrations, scripts, templates). */
const FOLDERS = ['activities', 'bench', 'cli', 'config', 'dashboard', 'db', 'domain', 'infra', 'workers', 'workflows'];
/** Folders of which only the code at the top is compiled: below lie research problems, which are data. */
const FLAT = ['tasks', 'tasks/curves', 'tasks/folder', 'tasks/yaml'];
const SKIPPED = /(^|\/)drizzle\.config\.ts$|\.d\.ts$/;

/** Paths of all sources, relative to the clone. */
export function listSources() {
  const paths = [];
  for (const folder of FOLDERS) listFolder(folder, { paths, deep: true });
  for (const folder of FLAT) listFolder(folder, { paths, deep: false });
  return paths;
}

function listFolder(folder, { paths, deep }) {
  for (const entry of readFolder(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (deep && entry.name !== 'node_modules') listFolder(path, { paths, deep });
    } else if (entry.isFile() && !SKIPPED.test(path) && (deep || path.endsWith('.ts'))) paths.push(path);
  }
}

function readFolder(folder) {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * The sources that were changed or added since the last build. A source is read only if its time is later than the
 * build's: a checkout changes times, not always contents.
 */
export function staleSources() {
  const { files, builtAt } = readManifest();
  if (builtAt === null) return [];
  const isStale = (path) => {
    if (files[path] === undefined) return true;
    if (statSync(root + path).mtimeMs <= builtAt) return false;
    return files[path] !== hashOf(readFileSync(root + path));
  };
  return listSources().filter(isStale).sort();
}

/** What the last build noted, and when, in ms; no files and null where no build has ended or its note was cut off. */
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
