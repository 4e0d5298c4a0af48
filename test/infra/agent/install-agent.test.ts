import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentPaths } from '../../../infra/agent/agent-recipe.ts';
import { findAgent } from '../../../infra/agent/find-agent.ts';
import { type AgentInstallOptions, installAgent } from '../../../infra/agent/install-agent.ts';
import { IndexUnreachableError } from '../../../infra/python/uv.ts';
import { fakeUv, type FakeUv } from '../../support/trainer/fake-uv.ts';

let fake: FakeUv;
let options: AgentInstallOptions;
beforeEach(async () => {
  fake = await fakeUv();
  options = { ...fake.options, cache: join(fake.folder, 'agents') };
});
afterEach(() => fake.close());

/** Replaces npm by a shell script, which runs in the folder of the installation. */
async function fakeNpm(body: string): Promise<void> {
  const path = join(fake.folder, 'bin', 'npm');
  await writeFile(path, `#!/bin/sh\necho "npm $*" >>"${fake.calls}"\n${body}\n`);
  await chmod(path, 0o755);
}
const calls = async () => (await readFile(fake.calls, 'utf8')).trim().split('\n');
const INSTALLS =
  'umask 077; mkdir node_modules; echo "#!/bin/sh" > node_modules/program; chmod 700 node_modules/program';

test('an agent from npm is installed from its lock, without scripts, and all users may read it', async () => {
  await fakeNpm(INSTALLS);
  const { folder, readable, made } = await installAgent('pi', options);
  expect({ folder, made }).toEqual({ folder: agentPaths('pi', options).folder, made: true });
  expect((await calls())[0]).toContain('npm ci --ignore-scripts');
  expect((await readdir(folder)).sort()).toEqual(['bin', 'node_modules', 'package-lock.json', 'package.json']);
  expect((await stat(join(folder, 'node_modules', 'program'))).mode & 0o777).toBe(0o755);
  expect(readable[0]).toBe(folder);
  expect(fake.progressLines[0]).toMatch(/^installing pi: \d+ MB to download, \d+ MB on disk, in /);
  expect(await installAgent('pi', options)).toMatchObject({ made: false });
  expect(await calls()).toHaveLength(1);
});

test('an agent in Python is an environment from hashes, and shows the folder of its interpreter', async () => {
  const { folder, readable } = await installAgent('mini-swe-agent', options);
  expect((await calls())[1]).toContain(
    `--require-hashes --compile-bytecode ${agentPaths('mini-swe-agent', options).lock}`,
  );
  expect(readable).toContain(folder);
  expect(fake.progressLines[0]).toMatch(/^installing mini-swe-agent: /);
});

test('two installations at once install once: one waits for the other', async () => {
  await fakeNpm(`while [ ! -e "${fake.folder}/go" ]; do sleep 0.05; done; ${INSTALLS}`);
  const both = [installAgent('codex', options), installAgent('codex', options)];
  await expect
    .poll(() => fake.progressLines)
    .toContain(`process ${process.pid} is doing this already: waiting until it is done`);
  await writeFile(join(fake.folder, 'go'), '');
  expect((await Promise.all(both)).map(({ made }) => made).sort()).toEqual([false, true]);
  expect(await calls()).toHaveLength(1);
});

test('an installation that fails leaves nothing, and says why', async () => {
  await fakeNpm('touch half; echo "npm error code EINTEGRITY" >&2; exit 1');
  await expect(installAgent('pi', options)).rejects.toThrow('npm error code EINTEGRITY');
  expect(await readdir(options.cache)).toEqual([]);
  await fakeNpm('echo "npm error code ENOTFOUND" >&2; exit 1');
  await expect(installAgent('pi', options)).rejects.toThrow(IndexUnreachableError);
});

test('what a dead installation left is removed', async () => {
  const { folder } = agentPaths('pi', options);
  await mkdir(`${folder}.part/left`, { recursive: true });
  await fakeNpm(INSTALLS);
  await installAgent('pi', options);
  expect(await readdir(options.cache)).toEqual([folder.split('/').at(-1)]);
  expect(await readdir(folder)).not.toContain('left');
});

test('a missing agent, or one whose interpreter is gone, is found missing with the command that helps', async () => {
  const { folder } = agentPaths('pi', options);
  const missing = { missing: `expected pi in ${folder}, found none: run \`npx perpetua agents install pi\`` };
  expect(findAgent('pi', options)).toEqual(missing);
  await fakeNpm(INSTALLS);
  await installAgent('pi', options);
  await rm(join(folder, 'bin', 'node'));
  expect(findAgent('pi', options)).toMatchObject({
    missing: expect.stringContaining('expected the interpreter of pi'),
  });
  expect(await installAgent('pi', options)).toMatchObject({ made: true });
});

test('npm gets the settings of the registry, and no key', async () => {
  await fakeNpm('env >&2; exit 1');
  const env = { ...options.env, npm_config_registry: 'https://registry.example', npm_config_prefix: '/elsewhere' };
  const message = await installAgent('pi', { ...options, env }).catch((error: Error) => error.message);
  expect(message).toContain('npm_config_registry=https://registry.example');
  expect(message).not.toMatch(/OPENAI_API_KEY|npm_config_prefix/);
});
