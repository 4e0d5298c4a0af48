import type { Store, TxStore } from '../db/store.ts';
import type { KillPoint } from './deps/kill-point.ts';
import type { Policy } from '../infra/policy.ts';
import type { Environments as OnHosts } from '../infra/python/environments.ts';
import type { FailedRun } from '../domain/fleet/gpus.ts';
import type { Compute, Protections, SandboxMode } from '../infra/compute.ts';
import type { DiskSpace } from '../domain/fault/disk-space.ts';
import type { Llm } from '../infra/llm.ts';
import type { ToolNeeds } from '../domain/tools/needs.ts';
import type { Evaluator } from '../infra/evaluate.ts';
import type { WithinTime } from '../infra/within-time.ts';
import type { TaskFile } from '../tasks/folder/read-folder.ts';
import type { LoadedTask } from '../tasks/load.ts';

export type { KillPoint } from './deps/kill-point.ts';

/** Environments of tasks in Python. */
interface Environments extends OnHosts {
  /** Folder of the programs of one that was built on this machine. */
  binHere: (name: string) => string;
  /** This machine, on which evaluators run. */
  ownHost: string;
}

/** The hosts that runs are on: this machine, and those of the fleet. */
interface Hosts {
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

/** This machine, as far as activities ask for it. */
interface Machine {
  /** Free space where state and runs are kept. */
  freeDisk: () => Promise<DiskSpace>;
  environment: Readonly<Record<string, string | undefined>>;
  sha256: (text: string) => string;
}

/** Models that propose, and what they cost. */
interface Models {
  /** Undefined where no model endpoint is configured. */
  llm: Llm | undefined;
  llmModel: string | undefined;
  /** Whether this worker can sample a policy. */
  hasTrainer: () => boolean;
  /** Whether a policy can learn by it. */
  canLearn: () => boolean;
  /** USD of a call, null where the model has no configured price. */
  priceOf: (model: string, tokensIn: number | null, tokensOut: number | null) => number | null;
}

/** The pools that slots belong to. */
interface Pools {
  /** MiB that a run may take on the host of a pool that gives most; null where nobody knows, and on this machine. */
  memoryIn: (pool: string) => number | null;
  /** Protections of runs of a pool; null where no machine of the pool can say now. */
  protections: (mode: SandboxMode, pool: string) => Promise<Protections | null>;
  /** Tools and folders of a task that each machine of a pool lacks which can say so now: empty where one lacks nothing, or none can say. */
  lacks: (needs: ToolNeeds, pool: string) => Promise<string[]>;
  /** Takes the offer that this worker holds for a slot of the pool; null where it holds none. */
  takeOffer: (pool: string) => { slotId: string; holder: string } | null;
  /** Hardware of a pool, a line for each kind of machine, as a model is told; empty where nobody knows. */
  hardware: (pool: string) => Promise<string[]>;
  slotsOf: (pool: string) => Promise<number>;
  /** MiB that the disk of the runs of a pool has in all; null where the pool is not this machine's, or nobody knows. */
  diskSizeMb: (pool: string) => Promise<number | null>;
}

interface Scoring {
  evaluator: Evaluator;
  /** HMAC-SHA-256 in hex, with the installation's secret: what drives an evaluator's questions is made with it, so that no run can work it out. */
  hmac: (text: string) => string;
  /** Runs a task's own expressions on whatever a run prints, for so long at most. */
  withinTime: WithinTime;
}

/** The folders of tasks. */
interface Tasks {
  /** Reads a task by name or path; throws TaskError with every issue. */
  loadTask: (nameOrPath: string) => Promise<LoadedTask>;
  /** The read-only files of a workspace that its task shows to a model: path to text. */
  shownFiles: (
    workspace: readonly Pick<TaskFile, 'path' | 'content'>[],
    version: Pick<LoadedTask, 'task' | 'mutablePaths'>,
  ) => Record<string, string>;
}

/** The Temporal server. */
interface Temporal {
  /** Whether a workflow is under way, closed, or unknown to Temporal. */
  describeWorkflow: (workflowId: string) => Promise<'open' | 'closed' | 'unknown'>;
  /** Whether search attributes could be registered, and why not. */
  searchAttributes: { registered: boolean; reason: string | null };
}

/** What activities work with; built once, in workers/. */
export interface ActivityDeps {
  store: Store;
  hosts: Hosts;
  environments: Environments;
  pools: Pools;
  models: Models;
  /** A policy that is sampled and learns. */
  policy: Policy;
  scoring: Scoring;
  tasks: Tasks;
  temporal: Temporal;
  machine: Machine;
  reach: (point: KillPoint) => void;
}

/** Some members of a group, for functions that need no more of it. */
export type PickDeps<Group extends keyof ActivityDeps, Member extends keyof ActivityDeps[Group]> = {
  [G in Group]: Pick<ActivityDeps[G], Member>;
};

/** Some statements of a group of the store. */
export type PickStatements<Group extends keyof TxStore, Name extends keyof TxStore[Group]> = {
  store: { [G in Group]: Pick<TxStore[G], Name> };
};
