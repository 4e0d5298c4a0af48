import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { AgentRecipe } from '../../domain/agent/recipe.ts';
import { describeIssue } from '../../domain/issue/describe-issue.ts';
import { findAgent } from '../../infra/agent/find-agent.ts';
import { configOf } from '../context.ts';
import { CliError, refused } from '../errors.ts';
import type { Io } from '../io.ts';
import { pickAgent } from './pick-agent.ts';

/** An agent to check. */
export interface CheckedAgent {
  name: string;
  recipe: AgentRecipe;
  /** Folder of the installed agent; null for a recipe of the user's own. */
  folder: string | null;
}

/** An installed agent by its name, or a recipe by the path of its file. Throws CliError if there is none. */
export function findRecipe(io: Io, name: string): CheckedAgent {
  if (isPath(name)) return { name, recipe: readOwn(name, resolve(name)), folder: null };
  const agent = pickAgent(name);
  const { packageRoot, agentCache: cache } = configOf(io);
  const found = findAgent(agent, { packageRoot, cache });
  if ('missing' in found) throw new CliError('failed', found.missing);
  return { name: agent, recipe: found.recipe, folder: found.folder };
}

const isPath = (name: string): boolean => name.includes('/') || /\.ya?ml$/.test(name);

function readOwn(name: string, path: string): AgentRecipe {
  let value: unknown;
  try {
    value = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refused(`${name}: expected a YAML file with a recipe; ${error instanceof Error ? error.message : ''}`);
  }
  const parsed = AgentRecipe.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refused(`${name}: ${describeIssue(parsed.error, value, '{"protocol": "chat", "command": "my-agent"}')}`);
}
