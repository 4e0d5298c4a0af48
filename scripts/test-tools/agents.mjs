import { join } from 'node:path';
import { root } from '../lib.mjs';

/** Time for the installation of all agents. */
const INSTALL_MS = 6 * 60_000;

/** Installs coding agents into the user's cache, from a current build. Returns false if one cannot be installed. */
export async function getAgents(names) {
  const load = (path) => import(join(root, 'dist', path));
  const [{ loadConfig }, { installAgent }] = await Promise.all([
    load('config/load.js'),
    load('infra/agent/install-agent.js'),
  ]);
  const config = loadConfig();
  const tell = (line) => console.log(`· ${line}`);
  const options = { ...config, cache: config.agentCache, tell, signal: AbortSignal.timeout(INSTALL_MS) };
  let complete = true;
  for (const name of names)
    try {
      console.log(`✓ ${name} (${(await installAgent(name, options)).folder})`);
    } catch (error) {
      complete = false;
      console.log(`✗ tests of ${name} are skipped: ${error.message}`);
    }
  return complete;
}
