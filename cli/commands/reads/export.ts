import type { Command } from 'commander';
import { printLine, type Io } from '../../io.ts';
import { withDb } from '../../context.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { readCurve, readCurveRuns } from '../../../db/reads/read-curves.ts';
import { toCurveLine } from '../../curve-line.ts';

export function registerExport(program: Command, io: Io): void {
  const command = program.command('export').description('Export data of a research for other tools.');
  command
    .command('curves [research]')
    .description('Learning curves of proposals, one JSON object a line, as `npx perpetua abort replay` reads them.')
    .option('--json', 'the same: each line is JSON anyway')
    .action(async (id: string | undefined) => {
      await withDb(io, async (db) => {
        const research = await pickResearch(db, id);
        // One curve at a time: a research may have gigabytes of them.
        for (const run of await readCurveRuns(db, { researchId: research.id })) {
          const points = await readCurve(db, run);
          printLine(io, JSON.stringify(toCurveLine({ ...run, points })));
        }
      });
    });
}
