import type { Command } from 'commander';
import { readExplanation } from '../../../db/reads/explanation/read-explanation.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { withDb } from '../../context.ts';
import { printJson, printLine, type Io } from '../../io.ts';
import { renderExplanation } from '../../render/explanation.ts';

export function registerExplain(program: Command, io: Io): void {
  program
    .command('explain [id]')
    .description(
      'The importance of each knob for reaching the best candidates, with intervals. ' +
        'It counts candidates of the current version of the task.',
    )
    .option('--json', 'one JSON object, with slices and parallel coordinates')
    .action(async (id: string | undefined, options: { json?: boolean }) => {
      const { research, explanation } = await withDb(io, async (db) => {
        const research = await pickResearch(db, id);
        return { research, explanation: await readExplanation(db, { research }) };
      });
      if (options.json) return printJson(io, { workflowId: research.id, ...explanation });
      for (const line of renderExplanation(explanation)) printLine(io, line);
    });
}
