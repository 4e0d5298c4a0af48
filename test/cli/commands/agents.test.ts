import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AGENTS } from '../../../domain/agent/recipe.ts';
import { agentPaths } from '../../../infra/agent/agent-recipe.ts';
import { fakeUv, type FakeUv } from '../../support/trainer/fake-uv.ts';
import { type ScriptedEndpoint, startScriptedEndpoint } from '../../support/agents/scripted-endpoint.mjs';
import { run } from '../support/cli.ts';

let fake: FakeUv;
let endpoint: ScriptedEndpoint;
beforeEach(async () => {
  [fake, endpoint] = await Promise.all([fakeUv(), startScriptedEndpoint()]);
});
afterEach(async () => {
  await endpoint.close();
  await fake.close();
});

const agents = (argv: string[], more: Record<string, string> = {}) => {
  const env = { ...fake.options.env, PERPETUA_HOME: fake.folder, PERPETUA_AGENT_CACHE: join(fake.folder, 'agents') };
  return run(['agents', ...argv], { env: { ...env, OPENAI_API_KEY: '', ...more } });
};
const folder = () =>
  agentPaths('pi', { packageRoot: fake.options.packageRoot, cache: join(fake.folder, 'agents') }).folder;

/** Replaces npm, which installs as pi's program a file with this text. */
async function fakeNpm(program: string): Promise<void> {
  const path = 'node_modules/@mariozechner/pi-coding-agent/dist/cli.js';
  await writeFile(join(fake.folder, 'cli.js'), program);
  const npm = join(fake.folder, 'bin', 'npm');
  await writeFile(npm, `#!/bin/sh\nmkdir -p "$(dirname ${path})" && cp "${fake.folder}/cli.js" ${path}\n`);
  await chmod(npm, 0o755);
}
const EDITS = `const { readFileSync, writeFileSync } = require('node:fs');
const url = process.env.PERPETUA_GATEWAY + '/v1/chat/completions';
const body = JSON.stringify({ model: process.env.PERPETUA_MODEL, messages: [] });
fetch(url, { method: 'POST', body }).then(() =>
  writeFileSync('train.py', readFileSync('train.py', 'utf8').replace('0.1', '0.2')),
);`;

test('agents lists each agent with its protocol, and how to install it', async () => {
  const { stdout } = await agents([]);
  for (const name of AGENTS) expect(stdout).toContain(`· ${name}`);
  expect(stdout).toContain("speaks Anthropic's Messages, not installed: `npx perpetua agents install claude-code`");
  await fakeNpm('');
  await agents(['install', 'pi']);
  expect((await agents([])).stdout).toContain(`✓ pi`);
  const [{ agents: found }] = (await agents(['--json'])).json() as [{ agents: { name: string; folder: unknown }[] }];
  expect(found.find(({ name }) => name === 'pi')?.folder).toBe(folder());
  expect(found.find(({ name }) => name === 'codex')?.folder).toBeNull();
});

test('install says where the agent is; check says that it works, and what a call costs', async () => {
  await fakeNpm(EDITS);
  expect((await agents(['install', 'pi'])).stdout).toContain(`✓ in ${folder()}`);
  expect((await agents(['install', 'pi', '--json'])).json()).toEqual([{ name: 'pi', folder: folder(), made: false }]);
  const prices = JSON.stringify({ m: { input: 1, output: 2 } });
  const served = { OPENAI_BASE_URL: `${endpoint.url}/v1`, PERPETUA_PRICES: prices };
  const { code, stdout, stderr } = await agents(['check', 'pi', '--model', 'm'], served);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/✓ the edit landed in [\d.]+ s, with 1 call$/m);
  expect(stdout).toContain('✓ a call costs 0.00110 USD');
});

test('check refuses an agent without an endpoint or a model, and reports one that does nothing', async () => {
  expect(await agents(['check', 'emacs'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('name: expected one of'),
  });
  expect(await agents(['check', 'pi'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('agents install pi'),
  });
  await fakeNpm('');
  await agents(['install', 'pi']);
  const none = await agents(['check', 'pi']);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('set OPENAI_API_KEY or OPENAI_BASE_URL')]);
  const idle = await agents(['check', 'pi', '--json'], { OPENAI_BASE_URL: `${endpoint.url}/v1` });
  expect(idle.code).toBe(1);
  expect(idle.json()).toMatchObject([{ landed: false, calls: 0, error: { code: 'failed' } }]);
});

test('check takes a recipe of the user by its path, and refuses one that is wrong with the key', async () => {
  const [program, recipe] = [join(fake.folder, 'agent.cjs'), join(fake.folder, 'recipe.yaml')];
  await writeFile(program, EDITS);
  await writeFile(recipe, `protocol: chat\ncommand: exec ${process.execPath} ${program}\n`);
  const served = { OPENAI_BASE_URL: `${endpoint.url}/v1` };
  const { code, stdout } = await agents(['check', recipe, '--model', 'm'], served);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`✓ the recipe in ${recipe}`)]);
  expect(stdout).toMatch(/✓ the edit landed in [\d.]+ s, with 1 call$/m);
  await writeFile(recipe, 'protocol: telnet\ncommand: agent\n');
  const wrong = await agents(['check', recipe], served);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(`${recipe}: protocol: expected`)]);
  const none = await agents(['check', './none.yaml'], served);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('none.yaml: expected a YAML file')]);
});
