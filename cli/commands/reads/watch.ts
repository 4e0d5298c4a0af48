import type { Command } from 'commander';
import { CliError } from '../../errors.ts';
import { sayJson, type Io } from '../../io.ts';
import { configOf, withDb } from '../../context.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { resolveDatabase, resolveTemporal } from '../../../config/resolve.ts';
import { followResearch } from '../../up/view/follow-research.ts';
import { addressesOf } from '../../up/addresses.ts';
import { askTemporal } from '../../temporal/ask-temporal.ts';
import { temporalShell } from '../../up/temporal-shell.ts';
import { postgresShell } from '../../up/postgres-shell.ts';
import { findListening } from '../../dashboard/process.ts';
import { whyFailed } from '../../why-failed.ts';

/** The lines go on while Temporal is asked. */
const ASK_MS = 5000;

export function registerWatch(program: Command, io: Io): void {
  program
    .command('watch [id]')
    .description('Print the events of a research as lines, until it ends or Ctrl-C.')
    .option('--json', 'one JSON object (as of `status --json`, without its forecast) for each change')
    .action(async (id: string | undefined, options: { json?: boolean }) => {
      const config = configOf(io);
      const databaseUrl = await resolveDatabase(config);
      const research = await withDb(io, (db) => pickResearch(db, id));
      const temporal = await resolveTemporal(config).catch(() => null);
      const shell = temporal ? temporalShell(config, temporal) : [];
      const status = await followResearch({
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
        out: io.stdout,
        untilEnded: true,
        ...(options.json ? { onStatus: (status) => sayJson(io, status) } : {}),
      });
      const why = status && whyFailed({ id: status.workflowId, phase: status.phase, byStatus: status.trials.byStatus });
      if (why) throw new CliError('failed', why);
    });
}
