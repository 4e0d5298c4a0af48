import type { RunHost } from '../run-protocol/run-host.ts';
import type { ReadPathInfo } from '../run-protocol/sandbox-mounts.ts';

/** A host, as the checks of its programs use it. */
export interface ToolHost extends Pick<RunHost, 'host' | 'path' | 'isRoot' | 'confinement'> {
  readPathInfo: ReadPathInfo;
  /** Runs a function of tools.sh on the host, and returns the lines that it printed. */
  runTools: (words: string[]) => Promise<string[]>;
  /** Folders that no run may see, such as those of tasks with their evaluators. */
  masked: () => Promise<string[]>;
  /** The one of these folders that holds state and runs. */
  ownHome: () => Promise<string[]>;
  /** Folders of programs of virtual environments in, or beside, the tasks that were read last. */
  taskProgramFolders: () => Promise<string[]>;
}
