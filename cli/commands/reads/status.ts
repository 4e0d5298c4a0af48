import type { Command } from 'commander';
import { printLine, printJson, type Io } from '../../io.ts';
import { forecastJson, statusJson } from '../../render/status-json.ts';
import { withDb } from '../../context.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { readAttention } from '../../../db/reads/attention/read-attention.ts';
import { readStatus } from '../../../db/reads/read-status.ts';
import { readRunning } from '../../../db/reads/status/read-running.ts';
import { readBudgets } from '../../../db/reads/page/spend/read-budgets.ts';
import { readTemporalState, hasEndedWithTrials } from '../../temporal/read-temporal-state.ts';
import { trialIdOf } from '../../../domain/trial/ids.ts';
import { renderStatus } from '../../render/status.ts';
import { shellNote } from '../../temporal/shell-note.ts';

export function registerStatus(program: Command, io: Io): void {
  program
    .command('status [id]')
    .description('Where a research stands. Reads Postgres, and waits for Temporal for two seconds at most.')
    .option('--json', 'one JSON object')
    .action(async (id: string | undefined, options: { json?: boolean }) => {
      const { status, research, running, forecast, attention } = await withDb(io, async (db) => {
        const research = await pickResearch(db, id);
        const running = await readRunning(db, { researchId: research.id });
        const now = new Date();
        const forecast = await readBudgets(db, { researches: [research], now });
        const { pool } = research.task.run.resources;
        const { attention } = await readAttention(db, { researches: [research], pool, now });
        return { status: await readStatus(db, { research }), research, running, forecast, attention };
      });
      const trialIds = running.map(({ n }) => trialIdOf(research.id, n));
      const over = hasEndedWithTrials(status.phase, trialIds);
      const temporalState = await readTemporalState(io, { researchId: research.id, trialIds, researchEnded: over });
      if (options.json)
        return printJson(io, { ...statusJson(status, temporalState), forecast: forecastJson(forecast), attention });
      const lines = renderStatus(status, { temporalState, now: new Date(), forecast, attention });
      const shell = await shellNote(io, lines);
      for (const line of shell === null ? lines : [...lines, shell]) printLine(io, line);
    });
}
