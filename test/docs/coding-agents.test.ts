import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../config/paths.ts';
import { Agent, AGENTS } from '../../domain/agent/recipe.ts';
import { readRecipe } from '../../infra/agent/agent-recipe.ts';
import { readDoc } from './tables.ts';

const guide = await readDoc('docs/guides/coding-agents.md');

test('the agents that the guide shows are names and recipes that a task can have', () => {
  const blocks = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const agents = blocks.map((text) => (parse(text) as { search: { proposer: { agent: unknown } } }).search.proposer);
  expect(agents).toHaveLength(2);
  for (const { agent } of agents) expect(Agent.safeParse(agent).error).toBeUndefined();
});

test('the table of the guide has each agent, with its size', () => {
  const rows = guide.split('\n').filter((line) => /^\| `[a-z-]+` .* MB/.test(line));
  const shown = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  const of = (name: (typeof AGENTS)[number]) => readRecipe(name, packageRoot());
  expect(shown.map(([, name]) => name)).toEqual(AGENTS.map((name) => `\`${name}\``));
  expect(shown.map((cells) => cells[4])).toEqual(AGENTS.map((name) => of(name).size.disk));
});
