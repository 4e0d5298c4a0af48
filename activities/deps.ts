import type { Store } from '../db/store.ts';
import type { FailedRun } from '../domain/fleet/gpus.ts';
import type { Room } from '../domain/room.ts';
import type { Compute, Protections, SandboxMode } from '../infra/compute.ts';
import type { Evaluator } from '../infra/evaluate.ts';
import type { Llm } from '../infra/llm.ts';
import type { WithinTime } from '../infra/within-time.ts';
import type { LoadedTask } from '../tasks/load.ts';

/** Places where a test may kill its own process; nothing happens anywhere else. */
export type KillPoint =
  | 'research-opened'
  | 'model-request-sent'
  | 'answer-received'
  | 'proposal-stored'
  | 'permit-offered'
  | 'lease-taken'
  | 'room-counted'
  | 'workspace-missing'
  | 'run-begun'
  | 'run-launched'
  | 'mid-run'
  | 'abort-decided'
  | 'run-ended'
  | 'shortage-found'
  | 'scored'
  | 'verdict-stored'
  | 'abandoned'
  | 'run-killed'
  | 'run-removed'
  | 'orphan-killed'
  | 'orphan-removed'
  | 'admitted'
  | 'handing-over'
  | 'old-ended';

/** A host that works, but not for this task: it lacks the sandbox or the memory, or the task's setup fails there. */
export interface HostRefusal {
  /** How the trial ends if hosts go on refusing it. */
  why: 'failed' | 'setup-failed';
  detail: string;
  /** Hosts of the pool that serve now. */
  hosts: number;
}

/** What activities work with; built once, in workers/. */
export interface ActivityDeps {
  store: Store;
  /** The host's adapter; throws for a host that this worker does not know. */
  computeOf: (host: string) => Compute;
  evaluator: Evaluator;
  /** Undefined where no model endpoint is configured. */
  llm: Llm | undefined;
  llmModel: string | undefined;
  /** USD of a call, null where the model has no configured price. */
  priceOf: (model: string, tokensIn: number | null, tokensOut: number | null) => number | null;
  /** Reads a task by name or path; throws TaskError with every issue. */
  loadTask: (nameOrPath: string) => Promise<LoadedTask>;
  /** What a fleet sets for runs on a host; nothing on this machine. */
  envOf: (host: string) => Record<string, string>;
  /** Seconds after which runs of a host that is away are placed elsewhere. */
  lostAfter: (host: string) => number;
  /** This machine, whose runs no fleet moves. */
  isOwnHost: (host: string) => boolean;
  /** Seconds since a host of the fleet answered this worker, or since this worker began, where it never did. */
  heardSecondsAgo: (host: string) => number;
  /** What a host lacks that a run needs, room or GPUs of its own; null where nothing. Without a run: room. */
  shortageOf: (host: string, run: FailedRun | null) => Promise<string | null>;
  /** MiB that a run on a host of the fleet may take; null where nobody knows, and on this machine. */
  memoryOf: (host: string) => number | null;
  /** … on that host of a pool that gives most. */
  memoryIn: (pool: string) => number | null;
  /** What a host refused to a task that may go through elsewhere, where the error is one; null for any other. */
  hostRefusal: (error: unknown) => Omit<HostRefusal, 'hosts'> | null;
  /** Whether somebody else has taken the GPU of a slot since it was lent. */
  isTaken: (error: unknown) => boolean;
  /** The words of a host that failed, where the error is one; null for any other error. */
  hostFault: (error: unknown) => string | null;
  /** Whether this worker does not know a host: it is not in the fleet any more, or not yet, or is another machine's own. */
  isHostUnknown: (error: unknown) => boolean;
  /** Whether nothing is left of a run that was there. */
  isRunGone: (error: unknown) => boolean;
  /** Whether a host lacks the workspace of a task, which can be staged there once more. */
  isStageMissing: (error: unknown) => boolean;
  /** Whether such a host was reached, and could not do what was asked. */
  hostAnswers: (error: unknown) => boolean;
  /** What runs of a pool are kept from; null where no machine of the pool can say now. */
  protections: (mode: SandboxMode, pool: string) => Promise<Protections | null>;
  /** Takes the offer that this worker holds for a slot of the pool; null where it holds none. */
  takeOffer: (pool: string) => { slotId: string; holder: string } | null;
  slotsOf: (pool: string) => Promise<number>;
  /** Whether a workflow is under way, closed, or unknown to Temporal. */
  describeWorkflow: (workflowId: string) => Promise<'open' | 'closed' | 'unknown'>;
  /** Whether search attributes could be registered, and why not. */
  searchAttributes: { registered: boolean; reason: string | null };
  /** What is free where state and runs are kept. */
  freeDisk: () => Promise<Room>;
  /** MiB that the disk of the runs of a pool has in all; null where the pool is not this machine's, or nobody knows. */
  diskSizeMb: (pool: string) => Promise<number | null>;
  sha256: (text: string) => string;
  /** Drives what an evaluator asks; made with a secret, so that no run can work it out. */
  evaluatorSeed: (trialId: string) => number;
  /** Runs a task's own expressions on whatever a run prints, for so long at most. */
  withinTime: WithinTime;
  environment: Readonly<Record<string, string | undefined>>;
  reach: (point: KillPoint) => void;
}
