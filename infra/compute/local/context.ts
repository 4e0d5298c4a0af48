import type { Layout } from '../run-protocol/paths.ts';
import type { RunHost } from '../run-protocol/run-host.ts';
import type { ToolHost } from '../tools/tool-host.ts';
import type { SupervisorStarter } from './supervisor-starter.ts';

/** What all verbs of the local adapter share. */
export interface LocalContext extends RunHost {
  layout: Layout;
  /** Shown read-only in the sandbox besides the system's folders. */
  show: string[];
  /** Masked wherever the sandbox would show them, besides what `hideFolder` was told. */
  hide: string[];
  /** The supervisor's copy under the home, so that an update never changes a script that runs. */
  supervisor(): Promise<string>;
  starter: SupervisorStarter;
  /** This machine, asked for its programs. */
  tools: ToolHost;
}
