import { AGENTS } from '../../domain/agent/recipe.ts';
import { PROTOCOL_RULES } from '../../domain/gateway/protocols.ts';
import { findAgent } from '../../infra/agent/find-agent.ts';
import { readRecipe } from '../../infra/agent/agent-recipe.ts';
import { configOf } from '../context.ts';
import { printJson, printLine, type Io } from '../io.ts';

/** `perpetua agents`. */
export function listAgents(io: Io, { json }: { json?: boolean }): void {
  const { packageRoot, agentCache } = configOf(io);
  const agents = AGENTS.map((name) => {
    const { install, size, protocol } = readRecipe(name, packageRoot);
    const found = findAgent(name, { packageRoot, cache: agentCache });
    const version = ('npm' in install ? install.npm : install.python).split(/@|==/).at(-1) ?? '';
    return { name, version, protocol, disk: size.disk, folder: 'folder' in found ? found.folder : null };
  });
  if (json) return printJson(io, { agents });
  const width = Math.max(...AGENTS.map((name) => name.length));
  for (const { name, version, protocol, disk, folder } of agents) {
    const state = folder === null ? `not installed: \`npx perpetua agents install ${name}\` (${disk})` : folder;
    const speaks = `speaks ${PROTOCOL_RULES[protocol].title}`;
    printLine(io, `${folder === null ? '·' : '✓'} ${name.padEnd(width)}  ${version}, ${speaks}, ${state}`);
  }
}
