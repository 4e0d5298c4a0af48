import type { Command } from 'commander';
import { CliError } from '../../errors.ts';
import { printLine, printJson, type Io } from '../../io.ts';
import { configOf } from '../../context.ts';
import { locateTask } from '../../task/locate-task.ts';
import { verifyCertificate } from '../../certificate/verify.ts';
import { renderVerified } from '../../render/certificate.ts';

export function registerVerify(program: Command, io: Io): void {
  program
    .command('verify <dir>')
    .description("Score a certificate's artefacts again, by a task's own evaluator. Needs no server and no database.")
    .requiredOption('--task <task>', 'the task of the certificate: a known name or a folder')
    .option('--json', 'one JSON object')
    .action(async (dir: string, options: { task: string; json?: boolean }) => {
      const { home } = configOf(io);
      const { loaded } = await locateTask(io, options.task);
      const signal = io.signal ?? new AbortController().signal;
      const { certificate, value, problems, sameTask } = await verifyCertificate(dir, { io, loaded, home, signal });
      const { trialId } = certificate;
      const expected = certificate.value.public;
      const result = { holds: problems.length === 0, trialId, value, expected, sameTask, problems };
      if (problems.length > 0) {
        const message = `The certificate of ${trialId} does not hold: ${problems.join('; ')}.`;
        throw new CliError('failed', message, { result });
      }
      if (options.json) return printJson(io, result);
      for (const line of renderVerified(certificate, sameTask)) printLine(io, line);
    });
}
