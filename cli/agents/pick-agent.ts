import { AGENTS, type AgentName } from '../../domain/agent/recipe.ts';
import { refused } from '../errors.ts';

/** The name of an agent. Throws CliError for another name. */
export function pickAgent(name: string): AgentName {
  const found = AGENTS.find((agent) => agent === name);
  if (found === undefined) throw refused(`name: expected one of ${AGENTS.join(', ')}; got ${JSON.stringify(name)}`);
  return found;
}
