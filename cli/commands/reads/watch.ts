import type { Command } from 'commander';
import { CliError } from '../../errors.ts';
import { sayJson, type Io } from '../../io.ts';
import { configOf, withDb } from '../../context.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { resolveDatabase, resolveTemporal } from '../../../config/resolve.ts';
import { runLiveView } from '../../up/view/live-view.ts';
import { addressesOf } from '../../up/addresses.ts';
import { askTemporal } from '../../temporal/ask-temporal.ts';
import { temporalShell } from '../../up/temporal-shell.ts';
import { postgresShell } from '../../up/postgres-shell.ts';
import { findListening } from '../../dashboard/process.ts';
import { whyFailed } from '../../why-failed.ts';

/** Nobody waits for the answer: the view goes on beside it. */
const ASK_MS = 5000;

export function registerWatch(program: Command, io: Io): void {
  program
    .command('watch [id]')
    .description('The live view of a research, until it ends or Ctrl-C. Plain lines if stdout is no terminal.')
    .option('--plain', 'lines instead of the live view')
    .option('--json', 'one JSON object (as of `status --json`, without its forecast) for each change')
    .action(async (id: string | undefined, options: { json?: boolean; plain?: boolean }) => {
      const config = configOf(io);
      const databaseUrl = await resolveDatabase(config);
      const research = await withDb(io, (db) => pickResearch(db, id));
      const temporal = await resolveTemporal(config).catch(() => null); // the view needs only Postgres
      const shell = temporal ? temporalShell(config, temporal) : [];
      const status = await runLiveView({
        databaseUrl,
        researchId: research.id,
        addresses: addressesOf({
          postgres: postgresShell(config, databaseUrl),
          temporal,
          researchId: research.id,
          shell,
          dashboardPort: findListening(config.home)?.port ?? null,
        }),
        ask: (trialIds) => askTemporal(io, { researchId: research.id, trialIds, limitMs: ASK_MS }),
        signal: io.signal ?? new AbortController().signal,
        tty: io.stdout.isTTY === true && !options.json && !options.plain,
        out: io.stdout,
        untilEnded: true,
        ...(options.json ? { onStatus: (status) => sayJson(io, status) } : {}),
      });
      const why = status && whyFailed({ id: status.workflowId, phase: status.phase, byStatus: status.trials.byStatus });
      if (why) throw new CliError('failed', why);
    });
}
