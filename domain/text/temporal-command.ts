import type { UPDATES } from '../names.ts';
import { quoteWord } from './quote-word.ts';

interface Message {
  id: string;
  name: keyof typeof UPDATES;
  input: unknown;
}

/** The command that sends an update to a research, for a person to copy. */
export const updateCommand = ({ id, name, input }: Message): string =>
  `temporal workflow update execute --workflow-id ${quoteWord(id)} --name ${name} --input ${quoteWord(JSON.stringify(input))}`;

/** The command that makes a research use a task's folder as it is by now, or another one. */
export const changeTaskCommand = (id: string, task: string): string =>
  updateCommand({ id, name: 'changeTask', input: { task } });
