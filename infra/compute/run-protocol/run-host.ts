import type { VisibleGpus } from '../../visible-gpus.ts';
import type { Confinement } from './confinement.ts';

/** What a run's environment and confinement depend on, wherever the host is. */
export interface RunHost extends VisibleGpus {
  host: string;
  installation: string;
  /** True for a host that is reached by SSH, false for the worker's own machine. */
  remote: boolean;
  /** PATH of the runs. */
  path: string;
  /** True where the supervisor is root. */
  isRoot(): Promise<boolean>;
  /** What this host can enforce, found out once. */
  confinement(sandbox: boolean): Promise<Confinement>;
}
