import type { Command } from 'commander';
import { CliError, refused } from '../../errors.ts';
import { printNote, printLine, printJson, type Io } from '../../io.ts';
import { configOf } from '../../context.ts';
import { NoSpaceError } from '../../../infra/trainer/install-trainer.ts';
import { NoInterpreterError } from '../../../infra/trainer/interpreter.ts';
import { installOptimizer } from '../../../infra/optimizer/install-optimizer.ts';

export function registerOptimizer(program: Command, io: Io): void {
  const optimizer = program
    .command('optimizer')
    .description('The Python environment of the proposer cma-es, with Optuna.')
    .enablePositionalOptions();
  optimizer
    .command('install')
    .description('Build it if it is missing: 60 MB to download, 260 MB on disk (in PERPETUA_TRAINER_CACHE).')
    .option('--json', 'one JSON object')
    .action((options: { json?: boolean }) => install(io, options));
}

async function install(io: Io, { json }: { json?: boolean }): Promise<void> {
  const { packageRoot, trainer, env } = configOf(io);
  const tell = (line: string) => (json ? printNote : printLine)(io, `· ${line}`);
  const more = io.signal && { signal: io.signal };
  const { folder, made } = await installOptimizer({ packageRoot, trainer, env, tell, ...more }).catch(
    (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof NoSpaceError || error instanceof NoInterpreterError) throw refused(message);
      throw new CliError('failed', `the optimizer is not installed: ${message}`);
    },
  );
  if (json) printJson(io, { folder, made });
  else printLine(io, made ? `✓ in ${folder}` : `✓ installed already in ${folder}`);
}
