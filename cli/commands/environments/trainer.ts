import type { Command } from 'commander';
import type { Config } from '../../../config/load.ts';
import { CliError, refused } from '../../errors.ts';
import { printNote, printLine, printJson, type Io } from '../../io.ts';
import { configOf } from '../../context.ts';
import { installTrainer, NoSpaceError } from '../../../infra/trainer/install-trainer.ts';
import { NoInterpreterError } from '../../../infra/trainer/interpreter.ts';
import { checkTrainer } from '../../../infra/trainer/check-trainer.ts';
import { findInstalledTrainer, notInstalledMessage } from '../../../infra/trainer/trainer-paths.ts';

interface Options {
  json?: boolean;
}

export function registerTrainer(program: Command, io: Io): void {
  const trainer = program
    .command('trainer')
    .description('The Python environment in which a proposer learns.')
    .enablePositionalOptions();
  trainer
    .command('install')
    .description('Build it if it is missing: 3.1 GB to download, 5.4 GB on disk (in PERPETUA_TRAINER_CACHE).')
    .option('--json', 'one JSON object')
    .action((options: Options) => install(io, options));
  trainer
    .command('check')
    .description('Show what is installed, and test that it computes on PERPETUA_TRAINER_DEVICE.')
    .option('--json', 'one JSON object')
    .action((options: Options) => check(io, options));
}

async function install(io: Io, { json }: Options): Promise<void> {
  const { packageRoot, trainer, env } = configOf(io);
  const tell = (line: string) => (json ? printNote : printLine)(io, `· ${line}`);
  const more = io.signal && { signal: io.signal };
  const { folder, python, made } = await installTrainer('engine', {
    packageRoot,
    trainer,
    env,
    tell,
    ...more,
  }).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof NoSpaceError || error instanceof NoInterpreterError) throw refused(message);
    throw new CliError('failed', `the trainer is not installed: ${message}`);
  });
  if (json) printJson(io, { folder, python, made });
  else printLine(io, made ? `✓ in ${folder}` : `✓ installed already in ${folder}`);
}

async function check(io: Io, { json }: Options): Promise<void> {
  const config = configOf(io);
  const python = await pythonOf(config);
  const found = await checkTrainer(python, config).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new CliError('failed', `the trainer in ${python} does not compute: ${why}`);
  });
  if (json) return printJson(io, { python, ...found });
  const { device, dtype, threads } = config.trainer;
  const versions = Object.entries(found.versions).flatMap(([name, value]) =>
    typeof value === 'string' ? [`${name} ${value}`] : [],
  );
  printLine(io, `✓ ${python}`);
  printLine(io, `✓ ${versions.join(', ')}`);
  printLine(io, `✓ computes on ${device} in ${dtype} (PERPETUA_TRAINER_THREADS: ${threads})`);
  printLine(io, found.gpus.length > 0 ? `✓ GPUs: ${found.gpus.join(', ')}` : '· no GPU');
}

async function pythonOf({ packageRoot, trainer }: Config): Promise<string> {
  const search = { packageRoot, cache: trainer.cache };
  const found = findInstalledTrainer(search);
  if (found === null) throw new CliError('failed', notInstalledMessage(search));
  return found.python;
}
