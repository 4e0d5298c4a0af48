import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Program of an installed Claude Code, in the cache of agents; or the reason why there is none. */
export function findClaudeCode(): { program: string } | { missing: string } {
  const cache = process.env['PERPETUA_AGENT_CACHE'] ?? join(homedir(), '.cache', 'perpetua', 'agents');
  const folders = existsSync(cache) ? readdirSync(cache).filter((name) => /^claude-code-\w+$/.test(name)) : [];
  const vendor = folders.map((name) => join(cache, name, 'node_modules', '@anthropic-ai'));
  const programs = vendor.flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, 'claude')) : [],
  );
  const program = programs.find((path) => existsSync(path));
  return program === undefined ? { missing: `expected Claude Code in ${cache}, found none` } : { program };
}
