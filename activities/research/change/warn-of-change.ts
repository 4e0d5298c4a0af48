import type { Research } from '../../../db/research/research.ts';
import { hasValue } from '../../../domain/gate/gate.ts';
import { ignoredChanges } from '../../../domain/task/ignored-changes.ts';
import { changedTexts, describeUntriedTexts } from '../../../domain/task/starting-text.ts';
import { changeTaskCommand } from '../../../domain/messages/temporal-command.ts';
import type { TaskError } from '../../../tasks/task-error.ts';
import type { ActivityDeps } from '../../deps.ts';
import { baselineOf, textsOf } from '../../task/baseline-of.ts';
import { taskLocationOf } from '../../task/read-task.ts';
import { refuse } from '../../task/require-runnable.ts';

/** An edit on disk never changes a running research behind its back; the status says that it differs, or cannot be read. */
export async function warnOfChange(
  deps: Pick<ActivityDeps, 'store' | 'tasks' | 'machine'>,
  research: Research,
  task: string,
): Promise<string[]> {
  const stored = await deps.store.task.loadTaskVersion(research.taskHash);
  const loaded = await deps.tasks.loadTask(task).catch(asError);
  if (loaded instanceof Error) {
    // By its name, a folder of somebody's own is not found, nor asked for.
    if (task === stored.task.name && isUnknown(loaded, task)) return [];
    return [
      `it goes on with the version of ${stored.task.name} that it has (${stored.hash.slice(0, 12)}): the folder that it was started with cannot be used: ${loaded.message}`,
    ];
  }
  if (loaded.task.name !== stored.task.name)
    throw refuse(
      `task: research ${research.id} is about ${stored.task.name}, got ${loaded.task.name}; start it under a new workflow id, or change the task of this one: ${changeTaskCommand(research.id, task)}`,
      'OtherTask',
    );
  if (loaded.hash === stored.hash) return [];
  const left = ignoredChanges(stored.task, loaded.task, research);
  const but = left.length > 0 ? `; of it this research would not take ${left.join(', ')}` : '';
  const originals = textsOf(await deps.store.task.loadOriginals(stored.hash));
  const texts = changedTexts(originals, baselineOf(deps, loaded).files);
  const unrun = hasValue(research.gate)
    ? describeUntriedTexts(research.id, texts, taskLocationOf(loaded, task))
    : undefined;
  return [
    `the folder of ${stored.task.name} differs from the version that this research runs (${stored.hash.slice(0, 12)}); to use it: ${changeTaskCommand(research.id, task)}${but}`,
    ...(unrun === undefined ? [] : [unrun]),
  ];
}

const isUnknown = (error: Error | TaskError, name: string): boolean =>
  'issues' in error && error.issues.some(({ file }) => file === name);

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
