import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '../../../config/load.ts';
import { findInstalledTrainer, sourceOf, trainerEnvironment } from '../../../infra/trainer/trainer-paths.ts';

const MAKE = `
import sys
from pathlib import Path
from helpers.tiny import add_chat, make_base
make_base(Path(sys.argv[1]))
add_chat(Path(sys.argv[1]))
`;

/** Makes a random Llama of 30,000 weights, as the trainer's own tests do. */
export const makeTiny = (folder: string): Promise<string> => runPython(MAKE, [folder]);

/** Runs a program by the trainer's interpreter; returns what it prints. */
export async function runPython(program: string, args: readonly string[]): Promise<string> {
  const { packageRoot, trainer, env } = loadConfig();
  const python = findInstalledTrainer({ packageRoot, cache: trainer.cache })?.python;
  if (python === undefined) throw new Error(`expected the trainer's environment in ${trainer.cache}, found none`);
  const own = trainerEnvironment(packageRoot, env);
  const paths = `${own.PYTHONPATH}:${join(sourceOf(packageRoot), 'tests')}`;
  const ran = promisify(execFile)(python, ['-c', program, ...args], { env: { ...own, PYTHONPATH: paths } });
  return (await ran).stdout;
}
