import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of Perpetua's package.json, found from the sources or from dist/. Throws if no folder above has one. */
export function packageRoot(from: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (isOurs(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder))
      throw new Error(`Expected a package.json named "perpetua" above ${from}, found none. Install Perpetua again.`);
  }
}

/** True for a clone, which can build itself; false for an installed package, below which nothing is written. */
export const isClone = (root: string): boolean => existsSync(join(root, 'scripts', 'build.mjs'));

/** Built program of the worker. */
export const workerProgramIn = (root: string): string => join(root, 'dist', 'worker-bundle.js');

/** Built program of the dashboard. */
export const dashboardProgramIn = (root: string): string => join(root, 'dist', 'dashboard', 'server', 'main.js');

/** Built page of the dashboard. */
export const dashboardPageIn = (root: string): string => join(root, 'dist', 'dashboard', 'web');

/** The parser of syntax trees and the folder of its grammars: in an installed package, beside the programs. */
export function syntaxFilesIn(root: string): { runtime: string; folder: string } {
  const installed = join(root, 'grammars');
  if (!isClone(root)) return { runtime: join(installed, 'web-tree-sitter.wasm'), folder: installed };
  const modules = join(root, 'node_modules');
  return {
    runtime: join(modules, 'web-tree-sitter', 'web-tree-sitter.wasm'),
    folder: join(modules, '@vscode', 'tree-sitter-wasm', 'wasm'),
  };
}

/**
 * Folder of all state if PERPETUA_HOME is not set. An installed package has one in the user's home folder. A command
 * inside a clone uses the clone's. Elsewhere a clone's command uses the nearest `.perpetua` above the current folder,
 * as git finds its own; else a new one in the current folder.
 */
export function defaultHome(cwd: string, root: string = packageRoot()): string {
  if (!isClone(root)) return join(homedir(), '.perpetua');
  if (isInside(cwd, root)) return join(root, '.perpetua');
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.perpetua'))) return join(folder, '.perpetua');
    if (folder === dirname(folder)) return join(resolve(cwd), '.perpetua');
  }
}

function isInside(path: string, folder: string): boolean {
  const inner = relative(folder, resolve(path));
  return inner === '' || (inner !== '..' && !inner.startsWith(`..${sep}`));
}

function isOurs(packageJson: string): boolean {
  if (!existsSync(packageJson)) return false;
  return (JSON.parse(readFileSync(packageJson, 'utf8')) as { name?: unknown }).name === 'perpetua';
}

/** Paths of everything under the home, by name. */
export const homePaths = (home: string) => ({
  bin: join(home, 'bin'),
  temporalCli: join(home, 'bin', 'temporal'),
  temporal: join(home, 'temporal'),
  postgres: join(home, 'postgres'),
  logs: join(home, 'logs'),
  runs: join(home, 'runs'),
  /** File with the host name of this home's runs. */
  host: join(home, 'host'),
  /** Secrets and state of the dashboard, readable by its owner only. */
  dashboard: join(home, 'dashboard'),
  upFile: join(home, 'up.json'),
  lastUpFile: join(home, 'last-up.json'),
  upLock: join(home, 'up.lock'),
});
