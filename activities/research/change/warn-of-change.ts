import type { Research } from '../../../db/research/research.ts';
import { hasValue } from '../../../domain/gate/gate.ts';
import { ignoredChanges } from '../../../domain/task/ignored-changes.ts';
import { changedTexts, describeUntriedTexts } from '../../../domain/task/starting-text.ts';
import { changeTaskCommand } from '../../../domain/messages/steer-commands.ts';
import type { TaskError } from '../../../tasks/task-error.ts';
import type { ActivityDeps } from '../../deps.ts';
import { baselineOf, textsOf } from '../../task/baseline-of.ts';
import { taskLocationOf } from '../../task/read-task.ts';
import { refuse } from '../../task/refuse.ts';

/**
 * Warnings of a research whose task folder changed or cannot be read. An edit on disk never changes a running research.
 */
export async function warnOfChange(
  deps: Pick<ActivityDeps, 'store' | 'tasks' | 'machine'>,
  research: Research,
  task: string,
): Promise<string[]> {
  const stored = await deps.store.task.loadTaskVersion(research.taskHash);
  if (task === stored.hash) return [];
  const loaded = await deps.tasks.loadTask(task).catch(asError);
  if (loaded instanceof Error) {
    // Started by the task's name, which is no built-in task: no folder was named, so none is missing.
    if (task === stored.task.name && isUnknown(loaded, task)) return [];
    return [
      `the research continues with its stored version of ${stored.task.name} (${stored.hash.slice(0, 12)}), ` +
        `since its task folder cannot be used: ${loaded.message}`,
    ];
  }
  if (loaded.task.name !== stored.task.name)
    throw refuse(
      `research ${research.id} already exists, on the task ${stored.task.name}. For a new research on ` +
        `${loaded.task.name}, choose another workflow id (--id ${otherId(research.id, loaded.task.name)}). ` +
        `To change the task of ${research.id}: ${changeTaskCommand(research.id, task)}`,
      'OtherTask',
    );
  if (loaded.hash === stored.hash) return [];
  const ignored = ignoredChanges(stored.task, loaded.task, research);
  const notTaken = ignored.length > 0 ? `; this research would ignore ${ignored.join(', ')}` : '';
  const originals = textsOf(await deps.store.task.loadOriginals(stored.hash));
  const texts = changedTexts(originals, baselineOf(deps, loaded).files);
  const warning =
    `the folder of ${stored.task.name} differs from the version that this research runs ` +
    `(${stored.hash.slice(0, 12)}); to use it: ${changeTaskCommand(research.id, task)}${notTaken}`;
  if (!hasValue(research.gate)) return [warning];
  const notRun = describeUntriedTexts(research.id, texts, taskLocationOf(loaded, task));
  return notRun === undefined ? [warning] : [warning, notRun];
}

/** An id for a new research on a task, other than the id of an existing research. */
const otherId = (id: string, taskName: string): string => (taskName === id ? `${taskName}-2` : taskName);

const isUnknown = (error: Error | TaskError, name: string): boolean =>
  'issues' in error && error.issues.some(({ file }) => file === name);

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
