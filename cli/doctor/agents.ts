import type { Config } from '../../config/load.ts';
import { AGENTS } from '../../domain/agent/recipe.ts';
import { plural } from '../../domain/text/plural.ts';
import { findAgent } from '../../infra/agent/find-agent.ts';
import { type Finding, ok, remark } from './finding.ts';

/** Checks coding agents, which only researches with the proposer `command` need, and their places on this machine. */
export async function checkAgents({ packageRoot, agentCache: cache, agentPlaces }: Config): Promise<Finding> {
  const installed = AGENTS.filter((name) => 'folder' in findAgent(name, { packageRoot, cache }));
  const places = `${plural(agentPlaces, 'place')} on this machine (PERPETUA_AGENTS)`;
  if (installed.length > 0) return ok('agents', `${installed.join(', ')}; ${places}`);
  const fix = `if a coding agent is to propose: \`npx perpetua agents install\` and one of ${AGENTS.join(', ')}`;
  return remark('agents', `none installed in ${cache}; ${places}`, fix);
}
