import type { Command } from 'commander';
import { say, sayJson, type Io } from '../../io.ts';
import { forecastJson, statusJson } from '../../render/status-json.ts';

export function registerStatus(program: Command, io: Io): void {
  program
    .command('status [id]')
    .description('Where a research stands. Reads Postgres; Temporal is asked for two seconds at most.')
    .option('--json', 'one JSON object')
    .action(async (id: string | undefined, options: { json?: boolean }) => {
      const [{ withDb }, { pickResearch }, { readStatus }, { readRunning }, { readBudgets }] = await Promise.all([
        import('../../context.ts'),
        import('../../arguments/pick.ts'),
        import('../../../db/reads/read-status.ts'),
        import('../../../db/reads/status/read-running.ts'),
        import('../../../db/reads/page/spend/read-budgets.ts'),
      ]);
      const { status, research, running, forecast } = await withDb(io, async (db) => {
        const research = await pickResearch(db, id);
        const running = await readRunning(db, { researchId: research.id });
        const forecast = await readBudgets(db, { researches: [research], now: new Date() });
        return { status: await readStatus(db, { research }), research, running, forecast };
      });
      const [{ askTemporal, isOver }, { trialIdOf }] = await Promise.all([
        import('../../temporal/ask-temporal.ts'),
        import('../../../domain/ids.ts'),
      ]);
      const trialIds = running.map(({ n }) => trialIdOf(research.id, n));
      const over = isOver(status.phase, trialIds);
      const asked = await askTemporal(io, { researchId: research.id, trialIds, over });
      if (options.json) return sayJson(io, { ...statusJson(status, asked), forecast: forecastJson(forecast) });
      const { renderStatus } = await import('../../render/status.ts');
      const lines = renderStatus(status, { asked, now: new Date(), forecast });
      const { shellNote } = await import('../../temporal/shell-note.ts');
      const shell = await shellNote(io, lines);
      for (const line of shell === null ? lines : [...lines, shell]) say(io, line);
    });
}
