import type { Command } from 'commander';
import { FURTHER_SEEDS } from '../../../domain/certificate/further-seeds.ts';
import { wholeFrom } from '../../arguments/parse-whole.ts';
import { CliError } from '../../errors.ts';
import { printLine, printJson, type Io } from '../../io.ts';
import { configOf } from '../../context.ts';
import { locateTask } from '../../task/locate-task.ts';
import { verifyCertificate } from '../../certificate/verify.ts';
import { renderVerified } from '../../render/certificate.ts';

/** Most further seeds: a limit for a mistyped number. */
const MOST_SEEDS = 10_000;

interface Options {
  task: string;
  seeds: number;
  seed?: number;
  json?: boolean;
}

export function registerVerify(program: Command, io: Io): void {
  program
    .command('verify <dir>')
    .description("Score a certificate's artefacts again, by a task's own evaluator. Needs no server and no database.")
    .requiredOption('--task <task>', 'the task of the certificate: a known name or a folder')
    .option(
      '--seeds <n>',
      'score the artefacts with n further seeds, too, and compare their mean with the public value; 0: none',
      wholeFrom(0, MOST_SEEDS),
      FURTHER_SEEDS,
    )
    .option(
      '--seed <n>',
      "a number of your own, from which the further seeds are derived instead of from the certificate's public seed",
      wholeFrom(0, Number.MAX_SAFE_INTEGER),
    )
    .option('--json', 'one JSON object')
    .action(async (dir: string, options: Options) => {
      const { home } = configOf(io);
      const { loaded } = await locateTask(io, options.task);
      const signal = io.signal ?? new AbortController().signal;
      const seeds = { count: options.seeds, root: options.seed };
      const verified = await verifyCertificate(dir, { io, loaded, home, signal, seeds });
      const { certificate, value, problems, sameTask, further } = verified;
      const { trialId } = certificate;
      const expected = certificate.value.public;
      const result = { holds: problems.length === 0, trialId, value, expected, sameTask, problems, further };
      if (problems.length > 0) {
        const message = `The certificate of ${trialId} does not hold: ${problems.join('; ')}.`;
        throw new CliError('failed', message, { result });
      }
      if (options.json) return printJson(io, result);
      for (const line of renderVerified(verified)) printLine(io, line);
    });
}
