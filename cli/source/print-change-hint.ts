import { changeTaskCommand } from '../../domain/messages/steer-commands.ts';
import { printNote, type Io } from '../io.ts';

/** Prints how to change a made task: its research has started, and does not notice edits of the folder. */
export function printChangeHint(io: Io, { id, folder, task }: { id: string; folder: string; task: string }): void {
  printNote(io, `to change the task: edit ${folder}/task.yaml, then send it: ${changeTaskCommand(id, task)}`);
  printNote(io, 'its keys are in docs/guides/tasks.md');
}
