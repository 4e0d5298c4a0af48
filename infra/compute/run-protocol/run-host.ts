import type { VisibleGpus } from '../../gpus/visible-gpus.ts';
import type { Confinement } from './confinement/confinement.ts';

/** Facts about a host, local or remote, that decide a run's environment and confinement. */
export interface RunHost extends VisibleGpus {
  host: string;
  installation: string;
  /** True for a host that is reached by SSH, false for the worker's own machine. */
  remote: boolean;
  /** PATH of the runs. */
  path: string;
  /** True if the supervisor is root. */
  isRoot(): Promise<boolean>;
  /** Best confinement that this host can enforce, with a sandbox or without. The result is cached. */
  confinement(sandbox: boolean): Promise<Confinement>;
}
