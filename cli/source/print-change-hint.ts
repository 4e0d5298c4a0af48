import { changeTaskCommand } from '../../domain/messages/steer-commands.ts';
import { printNote, type Io } from '../io.ts';
import { shellNote } from '../temporal/shell-note.ts';

/** Prints how to change a made task: its research has started, and does not notice edits of the folder. */
export async function printChangeHint(
  io: Io,
  { id, folder, task }: { id: string; folder: string; task: string },
): Promise<void> {
  const text = `to change the task: edit ${folder}/task.yaml, then send it: ${changeTaskCommand(id, task)}`;
  printNote(io, `${text}\nits keys are in docs/guides/tasks.md`);
  const shell = await shellNote(io, [text]);
  if (shell !== null) printNote(io, shell);
}
