import type { Command } from 'commander';
import { CliError } from '../../errors.ts';
import { printJson, type Io } from '../../io.ts';
import { configOf, withDb } from '../../context.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { resolveDatabase, resolveTemporal } from '../../../config/resolve.ts';
import { followResearch } from '../../up/view/follow-research.ts';
import { shownAddresses } from '../../up/addresses.ts';
import { readTemporalState } from '../../temporal/read-temporal-state.ts';
import { temporalShellVariables } from '../../up/temporal-shell-variables.ts';
import { postgresCommand } from '../../up/postgres-command.ts';
import { findListening } from '../../dashboard/process.ts';
import { describeFailedResearch } from '../../describe-failed-research.ts';

/** Longest wait for Temporal's answer. Events are printed meanwhile. */
const TEMPORAL_MS = 5000;

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
      const shell = temporal ? temporalShellVariables(config, temporal) : [];
      const status = await followResearch({
        databaseUrl,
        researchId: research.id,
        addresses: shownAddresses({
          postgres: postgresCommand(config, databaseUrl),
          temporal,
          researchId: research.id,
          shell,
          dashboardPort: findListening(config.home)?.port ?? null,
        }),
        ask: (trialIds) => readTemporalState(io, { researchId: research.id, trialIds, limitMs: TEMPORAL_MS }),
        signal: io.signal ?? new AbortController().signal,
        out: io.stdout,
        untilEnded: true,
        ...(options.json ? { onStatus: (status) => printJson(io, status) } : {}),
      });
      const why =
        status &&
        describeFailedResearch({ id: status.workflowId, phase: status.phase, byStatus: status.trials.byStatus });
      if (why) throw new CliError('failed', why);
    });
}
