import type { Command } from 'commander';
import { pickResearch } from '../../arguments/pick.ts';
import { withDb } from '../../context.ts';
import { printJson, printLine, printNote, type Io } from '../../io.ts';
import { updateResearch } from '../../steering/update-research.ts';
import { locateTask } from '../../task/locate-task.ts';

/** Answer to `changeTask` (activities/research-lifecycle.ts). */
interface ChangedTask {
  keptIncumbent: boolean;
  /** Overrides of the research that the new version does not accept. */
  unfit: string[];
  notRun?: string;
  outside?: string;
}

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
  if (before === after) printLine(io, `${id}: nothing changed, it uses this version already (${after.slice(0, 12)})`);
  else printLine(io, `${id}: task ${before.slice(0, 12)} → ${after.slice(0, 12)}`);
  if (!answer.keptIncumbent) printLine(io, 'the baseline is measured again, and the former claim no longer stands');
  if (answer.unfit.length > 0) printNote(io, `note: the new version does not accept ${answer.unfit.join(', ')}`);
  for (const note of [answer.notRun, answer.outside]) if (note !== undefined) printNote(io, `note: ${note}`);
}
