import type { Layout } from '../run-protocol/paths.ts';
import type { RunHost } from '../run-protocol/run-host.ts';
import type { ToolHost } from '../tools/tool-host.ts';
import type { SupervisorStarter } from './supervisor-starter.ts';

/** Context of all verbs of the local adapter. */
export interface LocalContext extends RunHost {
  layout: Layout;
  /** Folders that the sandbox shows, read-only, besides the system's. */
  show: string[];
  /** Folders that the sandbox masks, besides those of `hideFolder`. */
  hide: string[];
  /** Path of the supervisor's copy under the home: an update of Perpetua must not change a script that runs. */
  supervisor(): Promise<string>;
  starter: SupervisorStarter;
  /** Access to the programs of this machine. */
  tools: ToolHost;
}
