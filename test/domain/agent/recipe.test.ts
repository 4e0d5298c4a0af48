import { expect, test } from 'vitest';
import { Agent, AgentRecipe } from '../../../domain/agent/recipe.ts';

const OWN = {
  protocol: 'chat',
  command: 'my-agent --base-url "$PERPETUA_GATEWAY/v1" --model "$PERPETUA_MODEL" < "$PERPETUA_PROMPT"',
};

const messagesOf = (change: object) => {
  const { error } = AgentRecipe.safeParse({ ...OWN, ...change });
  return error?.issues.map((issue) => (issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message));
};

test('a recipe needs only a protocol and a command', () => {
  expect(Agent.parse(OWN)).toEqual({ ...OWN, env: {}, files: {}, readable: [] });
});

test('an agent is the name of a recipe that comes with Perpetua, or a recipe', () => {
  expect(Agent.parse('codex')).toBe('codex');
  expect(Agent.safeParse('emacs').success).toBe(false);
  expect(Agent.safeParse({ ...OWN, comand: 'x' }).success).toBe(false);
});

test('a recipe cannot set the variables that Perpetua sets', () => {
  for (const name of ['HOME', 'PATH', 'PERPETUA_MODEL'])
    expect(messagesOf({ env: { [name]: 'x' } })?.join()).toContain('a variable that Perpetua does not set itself');
  expect(messagesOf({ env: { OPENAI_API_KEY: 'none' } })).toBeUndefined();
});

test("a file of a recipe lies below the agent's home", () => {
  for (const path of ['/etc/passwd', '../x', '~/x', 'a//b'])
    expect(messagesOf({ files: { [path]: '' } })?.join()).toContain("a path below the agent's home");
  expect(messagesOf({ transcript: '../*.jsonl' })?.join()).toContain("a path below the agent's home");
});

test('a recipe shows no folder that holds more than a run should see', () => {
  for (const folder of ['relative', '/home/me', '/home/me/.ssh', '/etc'])
    expect(messagesOf({ readable: [folder] })?.join()).toContain('a folder that a sandbox may show');
  expect(messagesOf({ readable: ['/home/me/my-agent'] })).toBeUndefined();
});
