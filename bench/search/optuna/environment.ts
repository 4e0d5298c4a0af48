import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../../config/load.ts';
import { packageRoot } from '../../../config/paths.ts';
import { getUv, putInPlace, runUv, uvEnvironment } from '../../../infra/python/uv.ts';
import { findInterpreter } from '../../../infra/trainer/interpreter.ts';
import { installEnvironment } from '../../../infra/trainer/tool-environment.ts';

/** Builds the Python environment of the arms of Optuna if it is missing, and returns its interpreter. */
export async function optunaPython(cache: string): Promise<string> {
  const requirements = join(packageRoot(), 'bench/search/optuna/requirements.txt');
  const name = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const folder = join(cache, `optuna-${name}`);
  const python = join(folder, 'bin', 'python');
  if (existsSync(python)) return python;
  const env = installEnvironment(process.env);
  const { trainer } = loadConfig();
  const base = await findInterpreter(trainer.python, env);
  const uv = await getUv(base.path, { cache: trainer.cache, env });
  const options = { env: await uvEnvironment(base.path, env), onLine: () => undefined };
  const temporary = `${folder}.${process.pid}`;
  try {
    await runUv([uv, 'venv', '--quiet', '--relocatable', '--python', base.path, temporary], options);
    const target = ['--python', join(temporary, 'bin', 'python'), '--compile-bytecode'];
    await runUv([uv, 'pip', 'install', ...target, '-r', requirements], options);
    await putInPlace(temporary, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return python;
}
