/** The name of a task. */
export const TASK_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** The rule for the name of a task, for messages. */
export const NAME_RULE = 'at most 64 lower-case letters, digits, dots, dashes and underscores';

/** Makes a task's name of a folder's name: lower case, with a dash for other characters. */
export function taskNameFrom(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 64);
  return name === '' ? 'my-task' : name;
}
