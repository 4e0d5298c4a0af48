import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findBaseProblem } from '../../../infra/policy/check-base.ts';

let home: string;
beforeEach(async () => (home = await mkdtemp(join(tmpdir(), 'perpetua-base-'))));
afterEach(() => rm(home, { recursive: true }));

/** Makes a folder with these files; returns what is wrong with it. */
async function wrongWith(files: Record<string, string>): Promise<string | undefined> {
  const folder = join(home, 'model');
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return (await findBaseProblem(folder))?.why;
}

const CONFIG = '{"model_type": "llama", "vocab_size": 64}';

test('a named model, and a folder with configuration, tokenizer and weights, are taken', async () => {
  expect(await findBaseProblem('smollm2-135m')).toBeNull();
  const files = { 'config.json': CONFIG, 'tokenizer.json': '{}', 'model-1.safetensors': '' };
  expect(await wrongWith(files)).toBeUndefined();
});

test('weights in the older form of PyTorch are taken', async () => {
  const files = { 'config.json': CONFIG, 'tokenizer.json': '{}', 'pytorch_model-00001-of-00002.bin': '' };
  expect(await wrongWith(files)).toBeUndefined();
});

test.each([
  [{}, 'it has no config.json'],
  [{ 'config.json': 'text' }, 'its config.json is no JSON object with model_type and vocab_size'],
  [{ 'config.json': '{}' }, 'its config.json is no JSON object with model_type and vocab_size'],
  [{ 'config.json': CONFIG }, 'it has none of tokenizer.json, tokenizer.model, vocab.json'],
  [{ 'config.json': CONFIG, 'tokenizer.json': '{}' }, 'it has neither *.safetensors nor pytorch_model*.bin'],
  [
    { 'adapter_config.json': '{}' },
    'it is an adapter without its model; merge it into its model first (merge_and_unload in PEFT)',
  ],
  [
    { 'adapter_config.json': '{}', 'perpetua.json': '{"research": "lr-knob", "version": 3}' },
    'it is an export of a policy, without its model; set search.proposer.base: lr-knob@3',
  ],
])('a folder with %j is refused by name', async (files, why) => {
  expect(await wrongWith(files)).toBe(why);
});

test('a name that is unknown, a path that does not exist and a file of another kind are refused', async () => {
  const expected =
    'a model: smollm2-135m, ID@VERSION of another research, or the absolute path of a folder or of a .gguf file ' +
    'that exists';
  await writeFile(join(home, 'text.gguf'), 'text');
  await writeFile(join(home, 'model.gguf'), 'GGUF and more');
  await writeFile(join(home, 'model.bin'), 'GGUF');
  expect(await findBaseProblem('qwen3')).toEqual({ expected, why: 'it is no absolute path' });
  expect(await findBaseProblem(join(home, 'gone'))).toEqual({ expected, why: 'it does not exist' });
  expect(await findBaseProblem(join(home, 'model.bin'))).toMatchObject({ expected });
  expect(await findBaseProblem(join(home, 'text.gguf'))).toEqual({
    expected: 'a GGUF file',
    why: 'its content does not begin with GGUF',
  });
  expect(await findBaseProblem(join(home, 'model.gguf'))).toBeNull();
});
