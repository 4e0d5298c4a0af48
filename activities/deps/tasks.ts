import type { LoadedTask } from '../../tasks/load.ts';
import type { TaskFile } from '../../tasks/folder/read-folder.ts';

/** The folders of tasks. */
export interface Tasks {
  /** Reads a task by name or path; throws TaskError with every issue. */
  loadTask: (nameOrPath: string) => Promise<LoadedTask>;
  /** The read-only files of a workspace that its task shows to a model: path to text. */
  shownFiles: (
    workspace: readonly Pick<TaskFile, 'path' | 'content'>[],
    version: Pick<LoadedTask, 'task' | 'mutablePaths'>,
  ) => Record<string, string>;
}
