import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { sizeOfUnfinished } from '../../../infra/policy/base.ts';
import { serverPaths } from '../../../infra/policy/server-paths.ts';
import { PolicyError } from '../../../infra/policy.ts';
import { trainerPaths as trainerPlace } from '../../../infra/trainer/trainer-paths.ts';
import { FAKE_PROGRAM, openPolicy, type PolicyHome } from '../../support/policy/fake.ts';

const { signal } = new AbortController();
let home: PolicyHome;

afterEach(() => home.close());

/** Value of `--base` in the command line of a model's server. */
async function baseOf(model: string): Promise<string | undefined> {
  await home.policy.facts(model, signal);
  const words = (await readFile(`/proc/${(await home.serverOf(model))?.pid}/cmdline`, 'utf8')).split('\0');
  return words[words.indexOf('--base') + 1];
}

/** Opens a home whose interpreter is a script: it converts at once, and serves without torch. */
async function openInstalled(): Promise<string> {
  home = await openPolicy({ program: null });
  const { cache } = home.options.trainer;
  const { python } = trainerPlace('engine', { packageRoot: home.options.packageRoot, cache });
  const converted = join(home.home, 'converted');
  await mkdir(converted);
  await mkdir(dirname(python), { recursive: true });
  const report = `echo "reading $5" >&2; echo '{"path": "${converted}", "sha256": ""}'`;
  const refuse =
    `echo '{"refused": {"code": "wrong-base", "path": "gguf", ` + `"expected": "GGUF", "got": "text"}}'; exit 2`;
  const convert = `if [ "$3" = convert ]; then grep -q GGUF "$5" || { ${refuse}; }; ${report}; exit 0; fi`;
  await writeFile(python, `#!/bin/sh\n${convert}\nshift 2\nexec ${FAKE_PROGRAM.join(' ')} "$@"\n`);
  await chmod(python, 0o755);
  return converted;
}

test('a model in GGUF is converted before its server is started, and the log has the output of both', async () => {
  const converted = await openInstalled();
  const gguf = join(home.home, 'model.gguf');
  await writeFile(gguf, 'GGUF');
  expect(await baseOf(gguf)).toBe(converted);
  expect(await readFile(serverPaths(home.home, gguf).log, 'utf8')).toContain(`reading ${gguf}`);
});

test('each caller that waits for a conversion receives its progress', async () => {
  await openInstalled();
  const gguf = join(home.home, 'model.gguf');
  await writeFile(gguf, 'GGUF');
  const lines: string[][] = [[], []];
  const request = { base: gguf, version: null, prompt: { form: 'text', text: 'a', start: '' } as const };
  await Promise.all(
    lines.map((heard, seed) =>
      home.policy.sample({ ...request, maxTokens: 1, seed, deadlineSeconds: 60 }, signal, (line) => heard.push(line)),
    ),
  );
  const { models } = home.options.trainer;
  expect(lines).toEqual([0, 1].map(() => [`converting ${gguf} into ${models}, unless it is there already`]));
});

test('a file that cannot be converted fails as `down`, in the words of the converter', async () => {
  await openInstalled();
  const gguf = join(home.home, 'model.gguf');
  await writeFile(gguf, 'text');
  const error = await home.policy.facts(gguf, signal).catch((one: unknown) => one);
  expect(error).toMatchObject({ kind: 'down', message: expect.stringContaining('expected GGUF, got text') });
});

test('a model in a folder is served as it lies there', async () => {
  const folder = await openInstalled();
  expect(await baseOf(folder)).toBe(folder);
});

test('a model that is known by name and converted already is not fetched', async () => {
  await openInstalled();
  const { models } = home.options.trainer;
  const kept = join(models, 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53');
  await mkdir(kept, { recursive: true });
  await writeFile(join(kept, 'manifest.json'), '{}');
  expect(await baseOf('smollm2-135m')).toBe(kept);
});

test('an unknown model fails as `down`, with the known names', async () => {
  await openInstalled();
  const error = await home.policy.facts('smollm3', signal).catch((one: unknown) => one);
  expect(error).toBeInstanceOf(PolicyError);
  expect(error).toMatchObject({ kind: 'down', message: expect.stringContaining('smollm2-135m') });
});

test('the size of a conversion under way is that of its unfinished folders', async () => {
  home = await openPolicy({ program: null });
  const models = join(home.home, 'models');
  await mkdir(join(models, '.tmp-1'), { recursive: true });
  await mkdir(join(models, 'done'));
  await writeFile(join(models, '.tmp-1', 'model.safetensors'), 'x'.repeat(1000));
  await writeFile(join(models, '.tmp-1', 'config.json'), 'x'.repeat(20));
  await writeFile(join(models, 'done', 'model.safetensors'), 'x'.repeat(5000));
  await writeFile(join(models, '.tmp-1.lock'), 'x');
  expect(await sizeOfUnfinished(models)).toBe(1020);
});
