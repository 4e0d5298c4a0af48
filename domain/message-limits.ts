import { jsonBytes } from './json-bytes.ts';

/** Largest path of a task that Linux takes, too. */
const TASK_CHARACTERS = 4096;
/** Temporal takes no payload above 2 MiB, and what is handed on has ids and a key beside what came. */
const MESSAGE_BYTES = 2 * 2 ** 20 - 4096;

/** Why a message is too large to be handed on to an activity; null where it is not. */
export function tooLarge(args: object): string | null {
  const task = 'task' in args && typeof args.task === 'string' ? args.task : undefined;
  if (task !== undefined && task.length > TASK_CHARACTERS)
    return `task: expected a name or a folder of at most ${TASK_CHARACTERS} characters, came ${task.length}`;
  const bytes = jsonBytes(args);
  return bytes > MESSAGE_BYTES ? `expected at most ${MESSAGE_BYTES} bytes in all, came ${bytes}` : null;
}
