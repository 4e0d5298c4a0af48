import { chmod, copyFile, lstat, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { AgentName, InstalledRecipe } from '../../domain/agent/recipe.ts';
import { putInPlace } from '../python/uv.ts';
import { buildEnvironment, type InstallOptions, requireSpace } from '../trainer/install-trainer.ts';
import { waitForLock } from '../trainer/wait-for-lock.ts';
import { agentPaths, readRecipe } from './agent-recipe.ts';
import { findAgent, type FoundAgent, interpreterOf } from './find-agent.ts';
import { npmCi } from './npm-ci.ts';

/** `trainer` has the interpreter that Python agents are built from, and uv. */
export interface AgentInstallOptions extends InstallOptions {
  cache: string;
}

interface Building {
  name: AgentName;
  recipe: InstalledRecipe;
  paths: ReturnType<typeof agentPaths>;
}

/**
 * Installs an agent from its hashed lock, without scripts of packages, if it is missing, whole or not at all. Of two
 * concurrent calls, one waits. Throws NoInterpreterError, NoSpaceError, IndexUnreachableError, or an error with the
 * installer's message.
 */
export async function installAgent(
  name: AgentName,
  options: AgentInstallOptions,
): Promise<FoundAgent & { made: boolean }> {
  const { packageRoot, cache, tell, signal } = options;
  const location = { packageRoot, cache };
  const before = findAgent(name, location);
  if ('folder' in before) return { ...before, made: false };
  const building = { name, recipe: readRecipe(name, packageRoot), paths: agentPaths(name, location) };
  const release = await waitForLock(`${building.paths.folder}.lock`, { tell, ...(signal && { signal }) });
  try {
    const meanwhile = findAgent(name, location);
    if ('folder' in meanwhile) return { ...meanwhile, made: false };
    if ('npm' in building.recipe.install) await buildPackages(building, options);
    else await buildPython(building, options);
  } finally {
    release();
  }
  const made = findAgent(name, location);
  if ('missing' in made) throw new Error(made.missing);
  return { ...made, made: true };
}

async function buildPackages({ name, recipe, paths }: Building, options: AgentInstallOptions): Promise<void> {
  const { cache, tell, env, signal } = options;
  const { size } = recipe;
  await mkdir(cache, { recursive: true });
  tell(`installing ${name}: ${size.download} to download, ${size.disk} on disk, in ${paths.folder}`);
  await requireSpace(cache, { ...size, variable: 'PERPETUA_AGENT_CACHE' });
  // This process holds the lock, so an existing folder comes from a dead process, or has lost its Node.
  const temporary = `${paths.folder}.part`;
  await rm(temporary, { recursive: true, force: true });
  const began = performance.now();
  try {
    await mkdir(join(temporary, 'bin'), { recursive: true });
    for (const file of ['package.json', basename(paths.lock)])
      await copyFile(join(paths.locks, file), join(temporary, file));
    await npmCi(temporary, { env, tell, ...(signal && { signal }) });
    await symlink(process.execPath, interpreterOf(temporary, recipe));
    await letAllRead(temporary);
    await rm(paths.folder, { recursive: true, force: true });
    await putInPlace(temporary, paths.folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  tell(`installed ${name} in ${Math.round((performance.now() - began) / 1000)} s`);
}

async function buildPython({ name, recipe, paths }: Building, options: AgentInstallOptions): Promise<void> {
  const { lock, folder } = paths;
  const what = { ...recipe.size, name, variable: 'PERPETUA_AGENT_CACHE' };
  await mkdir(options.cache, { recursive: true });
  const python = interpreterOf(folder, recipe);
  const trainer = { ...options.trainer, cache: options.cache };
  await buildEnvironment({ folder, python, lock }, { ...options, trainer, what, finish: letAllRead });
}

/** Lets all users read a folder, whatever the umask: the user of runs is another one. */
async function letAllRead(path: string): Promise<void> {
  const info = await lstat(path);
  if (info.isSymbolicLink()) return;
  const runs = info.isDirectory() || (info.mode & 0o100) !== 0;
  const mode = info.mode | (runs ? 0o555 : 0o444);
  if (mode !== info.mode) await chmod(path, mode & 0o7777);
  if (!info.isDirectory()) return;
  for (const name of await readdir(path)) await letAllRead(join(path, name));
}
