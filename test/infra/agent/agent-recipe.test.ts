import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { AGENTS } from '../../../domain/agent/recipe.ts';
import { agentPaths, readRecipe } from '../../../infra/agent/agent-recipe.ts';

const root = packageRoot();

test('each recipe in agents/ has a name that a task can give', () => {
  const names = readdirSync(join(root, 'agents')).filter((name) => name.endsWith('.yaml'));
  expect(names.sort()).toEqual(AGENTS.map((name) => `${name}.yaml`));
});

describe.each(AGENTS)('the recipe of %s', (name) => {
  const recipe = readRecipe(name, root);
  const { lock, folder } = agentPaths(name, { packageRoot: root, cache: '/cache' });

  test('installs the version that its lock has, with a hash for each package', () => {
    const text = readFileSync(lock, 'utf8');
    expect(folder).toMatch(new RegExp(`^/cache/${name}-[0-9a-f]{16}$`));
    if ('python' in recipe.install) {
      expect(text).toContain(`\n${recipe.install.python} \\\n`);
      for (const requirement of text.split(/\n(?=[a-z])/).slice(1)) expect(requirement).toMatch(/--hash=sha256:/);
      return;
    }
    const { npm } = recipe.install;
    const [, packageName = '', version = ''] = /^(.+)@(.+)$/.exec(npm) ?? [];
    const { packages } = JSON.parse(text) as { packages: Record<string, { version?: string; integrity?: string }> };
    expect(packages[`node_modules/${packageName}`]?.version).toBe(version);
    for (const [path, { integrity }] of Object.entries(packages))
      if (path !== '') expect(integrity).toMatch(/^sha512-/);
  });

  test('sends the agent to the gateway, and passes the prompt by a file or as one argument', () => {
    const all = [recipe.command, ...Object.values(recipe.files)].join('\n');
    expect(all).toContain('$PERPETUA_GATEWAY');
    expect(recipe.command.includes('"$(cat "$PERPETUA_PROMPT")"')).toBe(recipe.promptBytes !== undefined);
    if (recipe.promptBytes === undefined) expect(recipe.command).toContain('< "$PERPETUA_PROMPT"');
    expect(recipe.resume).toBeDefined();
    expect(recipe.transcript).toBeDefined();
  });
});
