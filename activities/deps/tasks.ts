import type { LoadedTask } from '../../tasks/load.ts';

/** The folders of tasks. */
export interface Tasks {
  /** Reads a task by name or path; throws TaskError with every issue. */
  loadTask: (nameOrPath: string) => Promise<LoadedTask>;
}
