import type { Command } from 'commander';
import { describeTaskChange, type ChangedTask } from '../../../view/steering/results.ts';
import { pickResearch } from '../../arguments/pick.ts';
import { withDb } from '../../context.ts';
import { printJson, printLine, printNote, type Io } from '../../io.ts';
import { updateResearch } from '../../steering/update-research.ts';
import { locateTask } from '../../task/locate-task.ts';

export function registerTask(program: Command, io: Io): void {
  program
    .command('task <id> <task>')
    .description("Make a research use another task, or its task's folder as it is now.")
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nWhat stays, and what is measured again: docs/guides/steering/changing-a-task.md')
    .action((id: string, task: string, options: { json?: boolean }) => change(io, { id, task, ...options }));
}

async function change(io: Io, input: { id: string; task: string; json?: boolean }): Promise<void> {
  // A folder that is not valid is refused here, with all its problems.
  const located = await locateTask(io, input.task);
  const { id, taskHash: before } = await withDb(io, (db) => pickResearch(db, input.id));
  const answer = await updateResearch<ChangedTask>(io, {
    id,
    name: 'changeTask',
    args: { task: located.task },
    onRepeat: 'Repeat the command: the result is the same.',
  });
  // The worker may run from another checkout, and reads the folder itself.
  const { taskHash: after } = await withDb(io, (db) => pickResearch(db, id));
  if (input.json === true) return printJson(io, { workflowId: id, before, after, ...answer });
  const { lines, notes } = describeTaskChange(id, { before, after }, answer);
  for (const line of lines) printLine(io, line);
  for (const note of notes) printNote(io, `note: ${note}`);
}
