import type { RunHost } from '../run-protocol/run-host.ts';
import type { ReadPathInfo } from '../run-protocol/sandbox-mounts.ts';

/** A host as far as its programs are asked for. */
export interface ToolHost extends Pick<RunHost, 'host' | 'path' | 'isRoot' | 'confinement'> {
  readPathInfo: ReadPathInfo;
  /** Runs a function of tools.sh there, and returns the lines that it printed. */
  runTools: (words: string[]) => Promise<string[]>;
  /** Folders that no run may see, those of tasks with their evaluators among them. */
  masked: () => Promise<string[]>;
  /** The one among them that has state and runs. */
  ownHome: () => Promise<string[]>;
  /** Folders of programs beside the tasks that were read last. */
  taskProgramFolders: () => Promise<string[]>;
}
