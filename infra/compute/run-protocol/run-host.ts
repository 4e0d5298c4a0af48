import type { Confinement } from './confinement.ts';

/** What a run's environment and confinement depend on, wherever the host is. */
export interface RunHost {
  host: string;
  installation: string;
  /** PATH of the runs. */
  path: string;
  /** True where the supervisor is root. */
  isRoot(): Promise<boolean>;
  /** What this host can enforce, found out once. */
  confinement(sandbox: boolean): Promise<Confinement>;
}
