import type { Confinement } from './confinement.ts';
import type { Layout } from './paths.ts';

/** What all verbs of the local adapter share. */
export interface LocalContext {
  layout: Layout;
  host: string;
  installation: string;
  /** PATH of the runs. */
  path: string;
  /** Shown read-only in the sandbox besides the system's folders. */
  show: string[];
  /** Masked wherever the sandbox would show them, besides what `hideFolder` was told. */
  hide: string[];
  /** The supervisor's copy under the home, so that an update never changes a script that runs. */
  supervisor(): Promise<string>;
  /** What this host can enforce, found out once. */
  confinement(sandbox: boolean): Promise<Confinement>;
}
