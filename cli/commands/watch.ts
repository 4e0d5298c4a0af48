import type { Command } from 'commander';
import { CliError } from '../errors.ts';
import { sayJson, type Io } from '../io.ts';

export function registerWatch(program: Command, io: Io): void {
  program
    .command('watch [id]')
    .description('The live view of a research, until it ends or Ctrl-C. Plain lines where stdout is no terminal.')
    .option('--json', 'one JSON object (as of `status --json`) for each change')
    .action(async (id: string | undefined, options: { json?: boolean }) => {
      const [{ configOf, withDb }, { pickResearch }, { resolveDatabase, resolveTemporal }, { runLiveView }] =
        await Promise.all([
          import('../context.ts'),
          import('../pick.ts'),
          import('../../config/resolve.ts'),
          import('../up/live-view.ts'),
        ]);
      const config = await configOf(io);
      const databaseUrl = await resolveDatabase(config);
      const research = await withDb(io, (db) => pickResearch(db, id));
      const temporal = await resolveTemporal(config).catch(() => null); // the view needs only Postgres
      const { addressesOf } = await import('../up/addresses.ts');
      const phase = await runLiveView({
        databaseUrl,
        researchId: research.id,
        addresses: addressesOf({ databaseUrl, temporal, researchId: research.id }),
        signal: io.signal ?? new AbortController().signal,
        tty: io.stdout.isTTY === true && !options.json,
        out: io.stdout,
        untilEnded: true,
        ...(options.json ? { onStatus: (status) => sayJson(io, status) } : {}),
      });
      if (phase === 'failed')
        throw new CliError('failed', `${research.id} failed; see: perpetua status ${research.id}`);
    });
}
