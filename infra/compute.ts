/** The port to a host, where a supervisor script carries out runs. Adapters: local (this machine), ssh, fake. */
import type { RunLimits } from '../domain/job/run-limits.ts';
import type { Finding } from '../domain/tools/advice.ts';
import type { MissingTool } from '../domain/tools/find-missing-tool.ts';
import type { ToolNeeds } from '../domain/tools/needs.ts';
import type { Pythons } from './python/read-pythons.ts';

export * from './compute/errors.ts';

/** Mechanism that holds the processes of a run together, from certain to best effort. */
export type Containment = 'pid-namespace' | 'cgroup' | 'uid' | 'process-group';
/** Resource of a run that the kernel limits (memory, processes) or counts (cpu) by a control group. */
export const GROUPED = ['memory', 'processes', 'cpu'] as const;
export type Grouped = (typeof GROUPED)[number];
/** `required`: no run gets a way to a network or to a server of its machine. */
export type SandboxMode = 'required' | 'preferred' | 'none';

/** Protections that this host can enforce; `perpetua check` prints them, and each trial records them. */
export interface Protections {
  containment: Containment;
  /** True if a run cannot see the network, other processes, or files outside its directory. */
  sandboxed: boolean;
  /** True: the run cannot reach the network, files outside its directory, or other processes, respectively. */
  network: boolean;
  filesystem: boolean;
  processes: boolean;
  /** True if a run has a uid of its own, so that it cannot read the environment of the worker. */
  uid: boolean;
  /** Resources of a run for which this host makes control groups. */
  groups: readonly Grouped[];
  /** Sentence that says how much a run could do on this host. */
  exposure: string;
  /** Sentences on further gaps in the protection, each with the way to close it. */
  notes: string[];
}

export interface SlotRef {
  id: string;
  pool: string;
  index: number;
  /** UUID or index for CUDA_VISIBLE_DEVICES; null on a CPU slot. */
  gpu: string | null;
  /** Number of CPU cores reserved for the slot; null for a slot that is a whole host or a GPU. Absent: one. */
  cores?: number | null;
}

/** Key of one placement of one job on a host. It suffices to find the run again. */
export interface RunRef {
  jobId: string;
  /** 0 for the first placement, then 1, 2, … for each further one. */
  placement: number;
}

export interface FileContent {
  /** Path relative to the workspace, with forward slashes. */
  path: string;
  content: Uint8Array;
  /** Undefined: the same as the file that it replaces, or false if it replaces none. */
  executable?: boolean;
}

export interface RunSpec extends RunRef {
  fence: number;
  slot: SlotRef;
  /** Hash of the stage from which the run directory is made. */
  stageHash: string;
  /** Hash of the stage of the task's Python, which comes first on the PATH; absent: the task has none. */
  environment?: string | undefined;
  /** All mutable files, laid over those of the stage. */
  files: FileContent[];
  /** Passed to `sh -c` in the run directory. */
  command: string;
  /** True: stdout and stderr also get a file each. The order of lines in their common file is then approximate. */
  apart?: boolean;
  /** Files of the ended run that a conversation's program gets, if not larger than `maxBytes`. */
  artefacts?: { path: string; maxBytes: number }[];
  /** True: an interactive evaluator follows the run, so the host keeps shared GPUs reserved after the end. */
  awaitsConversation?: boolean;
  /** Variables of the run, besides those that each run gets; nothing is inherited from the worker. */
  env: Record<string, string>;
  /** First entries of the PATH. The sandbox shows them, with the folders that their interpreters need. */
  path?: string[];
  /** Further folders of the host that the sandbox shows, read-only. */
  readable?: string[];
  /** Folder with the socket of the model gateway, which the sandbox shows. This machine alone has one. */
  gateway?: string;
  limits: RunLimits;
  sandbox: SandboxMode;
}

export type EndReason = 'exit' | 'wall' | 'cpu' | 'memory' | 'processes' | 'output' | 'disk' | 'killed';

/** The end of a run or a conversation, as the supervisor recorded it. */
export interface RunEnd {
  reason: EndReason;
  exitCode: number | null;
  signal: string | null;
  wallSeconds: number;
  cpuSeconds: number;
  /** Seconds in which other processes kept the run from a CPU; absent if unknown, and without a limit of time. */
  waitSeconds?: number;
  /** Load average of the machine over the last minute of the run, and its cores; absent if unknown. */
  load?: { average: number; cores: number };
  maxRssMb: number;
  outputBytes: number;
  /** Time by the host's clock, ISO 8601, as is `endedAt`. */
  startedAt: string;
  endedAt: string;
  /** Seconds from the boot of the host to the start of the run, by the kernel's clock; absent if not recorded. */
  upSeconds?: number;
  containment: Containment;
  sandboxed: boolean;
  /** True if the loopback of the run's own network was up; absent if the run had no network of its own. */
  loopback?: boolean;
  /** Resources for which the run had a control group; absent in ends of older versions. */
  groups?: readonly Grouped[];
  /** False if a process of the run may have survived. */
  treeGone: boolean;
  /** True if reason `wall` is the backstop: other processes kept the run from a CPU for most of its time. */
  backstop?: true;
  /** Files, folders and links allowed, and counted at the end; set if too many of them caused reason `disk`. */
  files?: { allowed: number; seen: number };
  /** Path of an unreadable folder, the cause of reason `disk`, relative to the run; odd characters are `?`. */
  closed?: string;
  /** Cause of a killed conversation's end: `stop()`, a newer conversation with the run, or unknown others. */
  endedBy?: 'stop' | 'newer' | 'others';
  /** True: the host was rebooted during the conversation, so the shutdown may have ended the program. */
  rebooted?: boolean;
}

/**
 * `absent`: no directory; `staged`: directory, no claim; `running`: the claim's owner lives; `ended`: an end exists;
 * `lost`: claimed, but no living owner and no end (the host was rebooted, or the supervisor was killed).
 */
export type RunState = { state: 'absent' | 'staged' | 'lost' } | RunningState | { state: 'ended'; end: RunEnd };

export interface RunningState {
  state: 'running';
  /** Seconds since the start of the run, by the monotonic clock of the host; absent: unknown. */
  seconds?: number;
  /** MiB written beyond the workspace, as the supervisor measured last; absent: unknown. */
  writtenMb?: number;
  /** Seconds in which other processes kept the run from a CPU up to now; absent: unknown. */
  waitSeconds?: number;
}

export type FollowEvent = RunOutput | Looked | { type: 'ended'; end: RunEnd } | RunLost;

/** The run has no end and will get none; `why`: the supervisor's message, if it left one. */
export interface RunLost {
  type: 'lost';
  why?: string;
}

/** A check of the run, after all output printed before the check. At least one a second while the host answers. */
export interface Looked {
  type: 'looked';
}

export type StreamName = 'stdout' | 'stderr';

/** Offsets in bytes from the start of each stream. If the run has no separate streams, all output counts as stdout. */
export type Offsets = Record<StreamName, number>;

/** Output from `offset` on: of one stream, or of both in the order in which they came. */
export interface RunOutput {
  type: 'output';
  /** Absent if both streams are followed as one. */
  stream?: StreamName;
  offset: number;
  chunk: Uint8Array;
  /** Time of the previous check; the chunk was written after it. Null on the first check. */
  since: Date | null;
}

/** Parts of an ended run to collect besides its end and log. */
export interface CollectOptions {
  artefacts: { path: string; maxBytes: number }[];
  /** True: also collects `stdoutTail`. */
  stdout?: boolean;
}

export interface Collected {
  end: RunEnd;
  /** True: the host was rebooted since the run started, so the shutdown may have caused its failure. */
  rebooted?: boolean;
  /** Last part of the output, both streams in the order in which they came, at most 64 KiB. */
  logTail: string;
  /** Last lines of stdout, at most 64 KiB; the first is whole, the last may lack its newline. */
  stdoutTail?: string;
  /** Requested artefacts that exist and are within their size limits. */
  artefacts: FileContent[];
  missing: string[];
  tooLarge: string[];
  /** Paths of immutable files that differ from the staged ones after the run; the first ten. */
  changed: string[];
  /** Damage of the stage from which the run was made, in words; the stage was set aside. */
  damaged?: string;
  /** True: the stage was set aside before this run ended, for damage that another run or launch found. */
  aside?: boolean;
}

/** A candidate's program that answers an evaluator over pipes, on the trial's slot, in the sandbox. */
export interface Conversation {
  /** Host on which the program runs. */
  readonly host: string;
  /** Confinement of the program, which may be weaker than its run's. */
  readonly confinement: { containment: Containment; sandboxed: boolean };
  /** Sends bytes to the program's stdin. */
  write(chunk: Uint8Array): Promise<void>;
  /** Closes the program's stdin. */
  end(): void;
  /** The program's stdout. */
  output: AsyncIterable<Uint8Array>;
  /**
   * Resolves when all processes are gone; reason `output` if stderr exceeded the run's output limit. Rejects with a
   * HostError if the host or the connection failed, with ConversationReplacedError if a newer conversation with the run
   * began, and with SlotTakenError if another installation took the run's GPU before the start.
   */
  ended: Promise<RunEnd>;
  /** Sends TERM to the processes and, after the grace, KILL; resolves when they are gone. Idempotent. */
  stop(): Promise<void>;
  /** Last part of the program's stderr. */
  stderrTail(): string;
  /**
   * Resolves with the host's reply; output that the program wrote before the reply arrives first. Rejects if the
   * connection is lost. Absent if the host is this machine.
   */
  roundTrip?: () => Promise<void>;
}

/** Names of run directories: removed, killed before the removal, and not removable, with the reason. */
export interface SweepResult {
  removed: string[];
  killed: string[];
  failed: { name: string; reason: string }[];
}

export interface SetupOptions {
  onOutput: (line: string) => void;
  onBegin?: () => void;
  signal: AbortSignal;
  limitSeconds?: number;
  /** Hash of the stage of the task's Python, which comes first on the PATH. */
  environment?: string | undefined;
  /** Entries of the commands' PATH before the host's own and after the environment's. */
  path?: string[];
  /** Further variables, on this machine only: other hosts have settings of their own. */
  env?: Record<string, string>;
}

/** One host. Every verb is idempotent under its arguments and safe to repeat after a crash. */
export interface Compute {
  readonly host: string;
  protections(mode: SandboxMode): Promise<Protections>;
  /** Drops the cached confinement, so that the next run probes it again. For a host that lost a run. */
  forgetConfinement(): void;
  /** Hides a folder of this machine (a task with its evaluator) from every sandbox; throws CannotHideError. */
  hide(folder: string): Promise<void>;
  /** Returns a sentence for each folder or program of a task that the host lacks or may not show to runs. */
  missingTools(needs: ToolNeeds): Promise<string[]>;
  /** Searches the host for a tool that a run lacked, `beside` first. `path`: the run's own entries of the PATH. */
  locateMissing(missing: MissingTool, scope: { path: readonly string[]; beside: readonly string[] }): Promise<Finding>;
  /** True if the host has the stage of that hash. */
  isStaged(stageHash: string): Promise<boolean>;
  /** Copies the immutable files of a workspace to the host, once per hash; the last step is a rename. */
  stage(stageHash: string, files: FileContent[]): Promise<void>;
  isPrepared(stageHash: string): Promise<boolean>;
  /**
   * Runs the task's setup commands once per hash under a lock; calls `onBegin` when it has the lock. Throws
   * SetupFailedError with the log's tail. A waiting caller ends a setup that outlived its worker and `limitSeconds`.
   */
  prepare(stageHash: string, commands: string[], options: SetupOptions): Promise<void>;
  /** Finds Python interpreters for a version such as 3.11; `env` has the search paths of this machine. */
  findPythons(version: string, env: Readonly<Record<string, string>>): Promise<Pythons>;
  /** Makes the run directory and starts a detached supervisor; launching twice is harmless. */
  launch(spec: RunSpec): Promise<void>;
  inspect(run: RunRef): Promise<RunState>;
  /**
   * Yields output and checks, then exactly one `ended` or `lost`. If the signal aborts, it ends without either.
   * One offset: both streams as one. Two offsets: each stream separately.
   */
  follow(run: RunRef, from: number | Offsets, signal: AbortSignal): AsyncIterable<FollowEvent>;
  /** Ends the run with TERM, grace and KILL, and confirms it. No effect on an ended run, or under a higher fence. */
  kill(run: RunRef, fence: number): Promise<void>;
  /** Reads the end, log and artefacts of an ended run; throws RunGoneError if nothing of the run is left. */
  collect(run: RunRef, wanted: CollectOptions): Promise<Collected>;
  /**
   * Starts the candidate's program in a fresh copy of workspace, candidate and the spec's artefacts, without the other
   * files of the run. First ends older conversations with that run, whose callers hang or were abandoned. Throws
   * RunGoneError, and SlotTakenError if another installation holds a GPU of the run.
   */
  converse(spec: RunSpec): Promise<Conversation>;
  /** Removes a run directory; throws if processes of the run live. */
  remove(run: RunRef): Promise<void>;
  /** Removes old run directories of this installation that `keep` does not name, and kills their processes. */
  sweep(options: { keep: RunRef[]; olderThanSeconds: number; dryRun: boolean }): Promise<SweepResult>;
}
