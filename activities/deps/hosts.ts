import type { FailedRun } from '../../domain/fleet/gpus.ts';
import type { Compute } from '../../infra/compute.ts';

/** The hosts that runs are on: this machine, and those of the fleet. */
export interface Hosts {
  /** The host's adapter; throws for a host that this worker does not know. */
  computeOf: (host: string) => Compute;
  /** Environment that the fleet sets for runs on a host; empty on this machine. */
  envOf: (host: string) => Record<string, string>;
  /** CPU cores that a slot of a host is; null where it is a whole host, or a GPU. One on this machine. */
  coresOf: (host: string) => number | null;
  /** Seconds after which runs of a host that is away are placed elsewhere. */
  lostAfter: (host: string) => number;
  /** This machine, whose runs no fleet moves. */
  isOwnHost: (host: string) => boolean;
  /** Seconds since a host of the fleet answered this worker, or since this worker began, where it never did. */
  heardSecondsAgo: (host: string) => number;
  /** The shortage of a host, of room or of GPUs of its own, that a run would meet; null where there is none. Without a run: of room. */
  shortageOf: (host: string, run: FailedRun | null) => Promise<string | null>;
  /** MiB that a run on a host of the fleet may take; null where nobody knows, and on this machine. */
  memoryOf: (host: string) => number | null;
}
