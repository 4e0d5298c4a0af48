import type { Command } from 'commander';
import { say, type Io } from '../../io.ts';

export function registerExport(program: Command, io: Io): void {
  const command = program.command('export').description('Take data of a research elsewhere.');
  command
    .command('curves [research]')
    .description('Learning curves of proposals, one JSON object a line, as `npx perpetua abort replay` reads them.')
    .option('--json', 'the same: each line is JSON anyway')
    .action(async (id: string | undefined) => {
      const [{ withDb }, { pickResearch }, { readCurve, readCurveRuns }, { toCurveLine }] = await Promise.all([
        import('../../context.ts'),
        import('../../arguments/pick.ts'),
        import('../../../db/reads/read-curves.ts'),
        import('../../curve-line.ts'),
      ]);
      await withDb(io, async (db) => {
        const research = await pickResearch(db, id);
        // One curve at a time: a research may have gigabytes of them.
        for (const run of await readCurveRuns(db, { researchId: research.id })) {
          const points = await readCurve(db, run);
          say(io, JSON.stringify(toCurveLine({ ...run, points })));
        }
      });
    });
}
