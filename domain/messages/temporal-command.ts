import type { UPDATES } from './names.ts';
import { shellWord } from '../text/shell-word.ts';

interface Message {
  id: string;
  name: keyof typeof UPDATES;
  input: unknown;
}

interface Injected {
  id: string;
  folder: string;
  /** Paths relative to the folder. */
  files: readonly string[];
  hypothesis: string;
}

/** The command that sends an update to a research, for a person to copy. */
export const updateCommand = ({ id, name, input }: Message): string =>
  `temporal workflow update execute --workflow-id ${shellWord(id)} --name ${name} ` +
  `--input ${shellWord(JSON.stringify(input))}`;

/** The command that injects a folder's current files into a research, as a trial ahead of all others. */
export function injectCommand({ id, folder, files, hypothesis }: Injected): string {
  const read = files.map(
    (file) => `${JSON.stringify(file)}:fs.readFileSync(${JSON.stringify(`${folder}/${file}`)},"utf8")`,
  );
  const message = `JSON.stringify({files:{${read.join(',')}},hypothesis:${JSON.stringify(hypothesis)}})`;
  return (
    `node -p ${shellWord(message)} > inject.json && ` +
    `temporal workflow signal --workflow-id ${shellWord(id)} --name inject --input-file inject.json`
  );
}

/** The command that makes a research use the current content of a task's folder, or another task. */
export const changeTaskCommand = (id: string, task: string): string =>
  updateCommand({ id, name: 'changeTask', input: { task } });
