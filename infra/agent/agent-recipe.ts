import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { InstalledRecipe, type AgentName } from '../../domain/agent/recipe.ts';

export interface AgentLocation {
  packageRoot: string;
  /** Folder of the installed agents. */
  cache: string;
}

/** The recipe that comes with Perpetua under a name. */
export function readRecipe(name: AgentName, packageRoot: string): InstalledRecipe {
  return InstalledRecipe.parse(parse(readFileSync(join(packageRoot, 'agents', `${name}.yaml`), 'utf8')));
}

/** Lock of an agent's packages, and the folder of their installation, which is named by the hash of the lock. */
export function agentPaths(name: AgentName, { packageRoot, cache }: AgentLocation) {
  const { install } = readRecipe(name, packageRoot);
  const locks = join(packageRoot, 'agents', 'lock', name);
  const lock = join(locks, 'npm' in install ? 'package-lock.json' : 'requirements.lock');
  const hash = createHash('sha256').update(readFileSync(lock)).digest('hex').slice(0, 16);
  const folder = join(cache, `${name}-${hash}`);
  return { locks, lock, folder };
}
