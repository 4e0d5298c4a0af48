import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AgentName, InstalledRecipe } from '../../domain/agent/recipe.ts';
import { isSystemPath } from '../compute/run-protocol/spec.ts';
import { agentPaths, type AgentLocation, readRecipe } from './agent-recipe.ts';

export interface FoundAgent {
  recipe: InstalledRecipe;
  /** Folder of the installed agent, the value of PERPETUA_AGENT. */
  folder: string;
  /** Folders that a sandbox must show, those of the interpreter included. */
  readable: string[];
}

/** Finds an installed agent, or says why it cannot run and what to do. */
export function findAgent(name: AgentName, location: AgentLocation): FoundAgent | { missing: string } {
  const recipe = readRecipe(name, location.packageRoot);
  const { folder } = agentPaths(name, location);
  const todo = `run \`npx perpetua agents install ${name}\``;
  if (!existsSync(folder)) return { missing: `expected ${name} in ${folder}, found none: ${todo}` };
  const link = interpreterOf(folder, recipe);
  // False, too, for a link to an interpreter that was removed.
  if (!existsSync(link)) return { missing: `expected the interpreter of ${name} at ${link}, found none: ${todo}` };
  const program = realpathSync(link);
  // Python needs its library beside its folder of programs; Node is one file.
  const interpreter = 'npm' in recipe.install ? dirname(program) : dirname(dirname(program));
  return { recipe, folder, readable: [folder, interpreter].filter((shown) => !isSystemPath(shown)) };
}

/** The link to Node or Python in an agent's folder. */
export const interpreterOf = (folder: string, { install }: Pick<InstalledRecipe, 'install'>): string =>
  join(folder, 'bin', 'npm' in install ? 'node' : 'python');
