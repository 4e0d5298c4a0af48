import type { Store, TxStore } from '../db/store.ts';
import type { KillPoint } from './deps/kill-point.ts';
import type { Optimizer } from '../infra/optimizer.ts';
import type { Policy } from '../infra/policy.ts';
import type { Environments as OnHosts } from '../infra/python/environments.ts';
import type { FailedRun } from '../domain/fleet/gpus.ts';
import type { RunGateway } from '../infra/gateway/run-gateway.ts';
import type { AgentName } from '../domain/agent/recipe.ts';
import type { FoundAgent } from '../infra/agent/find-agent.ts';
import type { Compute, Protections, SandboxMode } from '../infra/compute.ts';
import type { DiskSpace } from '../domain/fault/disk-space.ts';
import type { Run } from '../domain/schema/run.ts';
import type { Provider } from '../domain/llm/providers.ts';
import type { Notice } from '../domain/notify/message.ts';
import type { Sink } from '../domain/notify/sink.ts';
import type { Llm } from '../infra/llm.ts';
import type { Sent } from '../infra/notify/send.ts';
import type { ToolNeeds } from '../domain/tools/needs.ts';
import type { Evaluator } from '../infra/evaluate.ts';
import type { Syntax } from '../infra/syntax/syntax.ts';
import type { WithinTime } from '../infra/within-time.ts';
import type { TaskFile } from '../tasks/folder/read-folder.ts';
import type { LoadedTask } from '../tasks/load.ts';

export type { KillPoint } from './deps/kill-point.ts';

/** Python environments of tasks. */
interface Environments extends OnHosts {
  /** Folder with the programs of an environment that was built on this machine. */
  binHere: (name: string) => string;
  /** Host name of this machine, on which evaluators run. */
  ownHost: string;
}

/** The hosts that run jobs: this machine and the hosts of the fleet. */
interface Hosts {
  /** Adapter of a host. Throws if this worker does not know the host. */
  computeOf: (host: string) => Compute;
  /** Environment variables that the fleet sets for runs on a host; empty on this machine. */
  envOf: (host: string) => Record<string, string>;
  /** CPU cores of one slot of a host; null if the slot is the whole host or a GPU. 1 on this machine. */
  coresOf: (host: string) => number | null;
  /** Seconds without contact after which the runs of a host are placed on another host. */
  lostAfter: (host: string) => number;
  /** True for this machine, which the fleet does not manage. */
  isOwnHost: (host: string) => boolean;
  /**
   * Seconds since a host of the fleet last answered this worker; since the worker started, if the host never answered.
   */
  secondsSinceAnswer: (host: string) => number;
  /**
   * Shortage of disk space or of GPUs that the run met on the host, in words; null if there is none. Without a run: of
   * disk space only.
   */
  shortageOf: (host: string, run: FailedRun | null) => Promise<string | null>;
  /** Hardware of a run on a slot, as `hardwareClass` writes it; null if it is unknown. */
  hardwareOf: (lease: { host: string; gpu: string | null }) => Promise<string | null>;
  /** MiB that a run on a host of the fleet may use; null if unknown, and on this machine. */
  memoryOf: (host: string) => number | null;
}

/** Facts and functions of this machine that activities need. */
interface Machine {
  /** Free space on the disk that holds state and run directories. */
  freeDisk: () => Promise<DiskSpace>;
  environment: Readonly<Record<string, string | undefined>>;
  sha256: (text: string) => string;
}

/** Models that propose, and their prices. */
interface Models {
  /** Client of the OpenAI-compatible endpoint, and its default model; undefined if none is configured. */
  llm: Llm | undefined;
  llmModel: string | undefined;
  /** Clients of providers with protocols of their own, each with its default model; absent: none is configured. */
  native?: Readonly<Partial<Record<Exclude<Provider, 'openai'>, { llm: Llm; model: string | null }>>>;
  /** True if this worker can sample a policy. */
  hasTrainer: () => boolean;
  /** True if this worker can start the optimizer of `cma-es`. */
  hasOptimizer: () => boolean;
  /** True if this worker can train a policy. */
  canLearn: () => boolean;
  /** USD of a call; null if the model has no configured price. */
  priceOf: (model: string, tokensIn: number | null, tokensOut: number | null) => number | null;
}

/** The pools that slots belong to. */
interface Pools {
  /** Memory for a run on the pool's largest host, in MiB; null if unknown, and on this machine. */
  memoryIn: (pool: string) => number | null;
  /** Protections of runs of a pool; null if no host of the pool answers. */
  protections: (mode: SandboxMode, pool: string) => Promise<Protections | null>;
  /**
   * Tools and folders of a task that no answering host of a pool has; empty if one host has all, or no host answers.
   */
  lacks: (needs: ToolNeeds, pool: string) => Promise<string[]>;
  /** Takes the offer that this worker holds for a slot of the pool; null if it holds none. */
  takeOffer: (pool: string) => { slotId: string; holder: string } | null;
  /** Hardware of a pool for a prompt, one line for each kind of machine; empty if unknown. */
  hardware: (pool: string) => Promise<string[]>;
  /**
   * Python and Node of a task version's runs on this machine, a line each, with the packages of the given modules.
   * Empty for a pool of other machines. Asked once for each task version.
   */
  programs: (
    pool: string,
    needs: { taskHash: string; modules: readonly string[] } & Pick<Run, 'command' | 'path'>,
  ) => Promise<string[]>;
  slotsOf: (pool: string) => Promise<number>;
  /** Size in MiB of the disk that holds the runs of a pool; null if unknown, and for pools of other machines. */
  diskSizeMb: (pool: string) => Promise<number | null>;
}

interface Scoring {
  evaluator: Evaluator;
  /**
   * HMAC-SHA-256 in hex, keyed with the installation's secret. Seeds of evaluators are made with it, so that no run can
   * compute them.
   */
  hmac: (text: string) => string;
  /** Runs a task's regular expressions on a run's output under a time limit. */
  withinTime: WithinTime;
}

/** The folders of tasks. */
interface Tasks {
  /** Reads a task by name or path. Throws TaskError with every issue. */
  loadTask: (nameOrPath: string) => Promise<LoadedTask>;
  /** Immutable files of a workspace that its task shows to a model: path to text. */
  shownFiles: (
    workspace: readonly Pick<TaskFile, 'path' | 'content'>[],
    version: Pick<LoadedTask, 'task' | 'mutablePaths'>,
  ) => Record<string, string>;
}

/** Sinks of messages. */
interface Messages {
  /** Sends a notice to a sink. Never throws; its texts contain no secret. */
  send: (sink: Sink, notice: Notice, signal: AbortSignal) => Promise<Sent>;
}

/** The Temporal server. */
interface Temporal {
  /** State of a workflow in Temporal. */
  describeWorkflow: (workflowId: string) => Promise<'open' | 'closed' | 'unknown'>;
  /** `reason`: error of a failed registration, in words. */
  searchAttributes: { registered: boolean; reason: string | null };
}

/** Coding agents on this machine. */
interface Agents {
  /** An installed agent; `missing`: why it cannot run here, with the remedy. */
  find: (name: AgentName) => FoundAgent | { missing: string };
}

/** Dependencies of all activities; built once, in workers/. */
export interface ActivityDeps {
  store: Store;
  hosts: Hosts;
  environments: Environments;
  pools: Pools;
  models: Models;
  /** The server that samples and trains policies. */
  policy: Policy;
  /** The model gateway for runs on this machine. */
  gateway: RunGateway;
  agents: Agents;
  /** The process that proposes values of knobs. */
  optimizer: Optimizer;
  scoring: Scoring;
  /** Reads programs, to find equal ones. */
  syntax: Syntax;
  tasks: Tasks;
  messages: Messages;
  temporal: Temporal;
  machine: Machine;
  reach: (point: KillPoint) => void;
}

/** Some members of a group of dependencies, for functions that need no others. */
export type PickDeps<Group extends keyof ActivityDeps, Member extends keyof ActivityDeps[Group]> = {
  [G in Group]: Pick<ActivityDeps[G], Member>;
};

/** Some statements of a group of the store, for functions that need no others. */
export type PickStatements<Group extends keyof TxStore, Name extends keyof TxStore[Group]> = {
  store: { [G in Group]: Pick<TxStore[G], Name> };
};
