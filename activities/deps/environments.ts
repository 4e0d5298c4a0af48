import type { Environments as OnHosts } from '../../infra/python/environments.ts';

/** Environments of tasks in Python. */
export interface Environments extends OnHosts {
  /** Folder of the programs of one that was built on this machine. */
  binHere: (name: string) => string;
  /** This machine, on which evaluators run. */
  ownHost: string;
}
