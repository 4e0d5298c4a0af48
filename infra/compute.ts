/** Where runs happen: a host that a supervisor script works on. Adapters: local (this machine), fake (tests, benches). */
import type { Finding } from '../domain/tools/advice.ts';
import type { MissingTool } from '../domain/tools/find-missing-tool.ts';
import type { ToolNeeds } from '../domain/tools/needs.ts';
import type { Pythons } from './python/read-pythons.ts';

export * from './compute/errors.ts';

/** How the tree of a run's processes is held together, from certain to best effort. */
export type Containment = 'pid-namespace' | 'cgroup' | 'uid' | 'process-group';
/** `required`: no run gets a way to a network or to a server of its machine. */
export type SandboxMode = 'required' | 'preferred' | 'none';

/** What this host can enforce; `perpetua check` prints it, each trial records it. */
export interface Protections {
  containment: Containment;
  /** True if a run cannot see the network, other processes, or files outside its directory. */
  sandboxed: boolean;
  /** True is protection in each of these: the network is kept from a run, so are files outside its directory, and other processes. */
  network: boolean;
  filesystem: boolean;
  processes: boolean;
  /** Own uid, so that the environment of the worker cannot be read. */
  uid: boolean;
  /** What a run could do here, in one sentence. */
  exposure: string;
  /** In plain words: what else a run can do here, and how to get more protection. */
  notes: string[];
}

export interface RunLimits {
  /** Seconds of wall clock, enforced on the host; null for no limit. */
  wallSeconds: number | null;
  /** Seconds of CPU over the tree; null for no limit. */
  cpuSeconds: number | null;
  /** From TERM to KILL. */
  graceSeconds: number;
  memoryMb: number;
  processes: number;
  /** Bytes of stdout and stderr together. */
  outputBytes: number;
  /** Size of the run directory, beyond what was staged. */
  diskMb: number;
  /** Files, folders and links in it, beyond what was staged. */
  files: number;
}

export interface SlotRef {
  id: string;
  pool: string;
  index: number;
  /** UUID or index for CUDA_VISIBLE_DEVICES; null on a CPU slot. */
  gpu: string | null;
  /** CPU cores that it is, where they are its own; null where it is a whole host, or a GPU. Absent: one. */
  cores?: number | null;
}

/** Names one placement of one trial on a host; with it alone a run can be found again. */
export interface RunRef {
  trialId: string;
  /** 0 for the first placement; +1 when the trial is placed once more. */
  placement: number;
}

export interface FileContent {
  /** Relative, with forward slashes, inside the workspace. */
  path: string;
  content: Uint8Array;
  /** Undefined: as the file that it replaces; false where it replaces none. */
  executable?: boolean;
}

export interface RunSpec extends RunRef {
  fence: number;
  slot: SlotRef;
  /** The stage that it is made from. */
  stageHash: string;
  /** The stage of the task's Python, which comes first on the PATH; absent where it has none. */
  environment?: string | undefined;
  /** All mutable files, laid over those of the stage. */
  files: FileContent[];
  /** Passed to `sh -c` in the run directory. */
  command: string;
  /** Its streams are kept apart, too, not only as one: lines of them are read. What it prints to both then comes roughly in its order. */
  apart?: boolean;
  /** Files of its ended run that an answering program finds, besides workspace and candidate; in bytes. A larger one is not there. */
  artefacts?: { path: string; maxBytes: number }[];
  /** An evaluator will talk to it after its end: where others share its GPUs, they are kept for that. */
  awaitsConversation?: boolean;
  /** The whole environment of the run; nothing is inherited. */
  env: Record<string, string>;
  /** First on its PATH, before the host's own; shown in the sandbox with what an interpreter there needs. */
  path?: string[];
  /** Further folders of the host that it may read in the sandbox. */
  readable?: string[];
  limits: RunLimits;
  sandbox: SandboxMode;
}

export type EndReason = 'exit' | 'wall' | 'cpu' | 'memory' | 'processes' | 'output' | 'disk' | 'killed';

/** What the supervisor wrote last. */
export interface RunEnd {
  reason: EndReason;
  exitCode: number | null;
  signal: string | null;
  wallSeconds: number;
  cpuSeconds: number;
  /** How long others kept it from a CPU; absent where nobody can say, or nobody asks: without a limit of CPU seconds. */
  waitSeconds?: number;
  maxRssMb: number;
  outputBytes: number;
  /** Host clock, ISO. */
  startedAt: string;
  endedAt: string;
  /** Seconds from the boot of its host to its beginning, by the clock on which processes begin; absent where nobody noted it. */
  upSeconds?: number;
  containment: Containment;
  sandboxed: boolean;
  /** False where some process of the run may have survived. */
  treeGone: boolean;
  /** Of one that was ended by `disk` for too many files, folders and links: how many were allowed, and seen when it was ended. */
  files?: { allowed: number; seen: number };
  /** The path of a folder that kept a run ended by `disk` from being measured, below its directory; odd characters are `?`. */
  closed?: string;
  /** Of a conversation that was killed: by its own stop(), by a newer one with that run, or by what it cannot know of. */
  endedBy?: 'stop' | 'newer' | 'others';
  /** Of a conversation: its host was booted since it began, whose shutdown may have ended the program. */
  rebooted?: boolean;
}

/**
 * `absent`: no directory; `staged`: directory, no claim; `running`: a living owner; `ended`: end is there;
 * `lost`: claimed, no living owner and no end (the host was rebooted, the supervisor was killed).
 */
export type RunState = { state: 'absent' | 'staged' | 'lost' } | RunningState | { state: 'ended'; end: RunEnd };

/** `seconds`: since it began, by the clock of its host that nobody sets; absent where the host cannot say. */
export interface RunningState {
  state: 'running';
  seconds?: number;
  /** MiB that it has written beyond its workspace, as its supervisor measured last; absent: unknown. */
  writtenMb?: number;
}

export type FollowEvent = RunOutput | Looked | { type: 'ended'; end: RunEnd } | RunLost;

/** No end will come; `why`: in the supervisor's words, where it could say anything. */
export interface RunLost {
  type: 'lost';
  why?: string;
}

/** The run was looked at, and all that it had printed was told before; once a second at least, while it can be seen. */
export interface Looked {
  type: 'looked';
}

export type StreamName = 'stdout' | 'stderr';

/** Bytes of each stream, counted from its beginning. Where the streams of a run are not apart, all that it prints is its stdout. */
export type Offsets = Record<StreamName, number>;

/** Bytes of the run's output starting at `offset`: of one stream, or of both as they came. */
export interface RunOutput {
  type: 'output';
  /** Absent where both are followed as one. */
  stream?: StreamName;
  offset: number;
  chunk: Uint8Array;
  /** They were written after that: all that was there by then had been read. Null on the first look. */
  since: Date | null;
}

/** What is wanted of an ended run besides its end and its log. */
export interface CollectOptions {
  artefacts: { path: string; maxBytes: number }[];
  /** The end of its stdout by itself. */
  stdout?: boolean;
}

export interface Collected {
  end: RunEnd;
  /** Its host was booted since the run began: what it says of a failure may be the shutdown's. */
  rebooted?: boolean;
  /** Last part of the output, both streams as they came, at most 64 KiB. */
  logTail: string;
  /** Whole lines at the end of stdout, together at most 64 KiB, and the last one with or without its end; where asked for. */
  stdoutTail?: string;
  /** Artefacts named by the task that exist and are inside the size bound. */
  artefacts: FileContent[];
  missing: string[];
  tooLarge: string[];
  /** Immutable files that are not what was staged after the run (paths); the first few. */
  changed: string[];
  /** What is wrong with the stage that the run was made from, which was set aside. */
  damaged?: string;
  /** That stage had been set aside, for another run's sake, before this one ended. */
  aside?: boolean;
}

/** A candidate's program answering an evaluator over pipes, on the trial's slot, in the sandbox. */
export interface Conversation {
  /** Where the program runs. */
  readonly host: string;
  /** How the program is held, which may be less than its run was. */
  readonly confinement: { containment: Containment; sandboxed: boolean };
  /** Sends bytes to the program's stdin. */
  write(chunk: Uint8Array): Promise<void>;
  /** Closes the program's stdin. */
  end(): void;
  /** The program's stdout. */
  output: AsyncIterable<Uint8Array>;
  /**
   * Resolves when the whole tree is gone; `output` where the program's stderr exceeded the run's output limit. Rejects with
   * a HostError where the host, or the way there, failed in the middle, with ConversationReplacedError where another
   * conversation with that run was begun since, and with SlotTakenError where somebody took its GPU before it began.
   */
  ended: Promise<RunEnd>;
  /** TERM, grace, KILL of the tree; resolves when it is gone. Idempotent. */
  stop(): Promise<void>;
  /** Last part of the program's stderr. */
  stderrTail(): string;
  /**
   * Goes to its host and back, and brings along what its program has said there by then; missing where the host is this machine.
   * Rejects where the connection is lost.
   */
  roundTrip?: () => Promise<void>;
}

/** Names of run directories: removed, ended before that, and left with the reason why they could not be removed. */
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
  /** The stage of the task's Python, which comes first on the PATH. */
  environment?: string | undefined;
  /** First on the PATH of its commands, behind the environment's programs. */
  path?: string[];
  /** More of its environment, on this machine alone: a host has settings of its own. */
  env?: Record<string, string>;
}

/** One host. Every verb is idempotent under its arguments and safe to repeat after a crash. */
export interface Compute {
  readonly host: string;
  protections(mode: SandboxMode): Promise<Protections>;
  /** A run was lost here: what can confine runs may have changed, and is found anew before the next. */
  forgetConfinement(): void;
  /** Keeps a folder of this machine (a task's, with its evaluator) out of every sandbox; throws CannotHideError. */
  hide(folder: string): Promise<void>;
  /** Folders and programs that a task names and the host does not have, or may not show: a sentence for each. */
  missingTools(needs: ToolNeeds): Promise<string[]>;
  /** Looks where a run could not for what it did not find: `beside` first. `path`: its folders before the host's own. */
  locateMissing(missing: MissingTool, of: { path: readonly string[]; beside: readonly string[] }): Promise<Finding>;
  /** True once the stage of that hash lies on the host. */
  isStaged(stageHash: string): Promise<boolean>;
  /** Copies the immutable files of a workspace to the host, once per hash, by rename. */
  stage(stageHash: string, files: FileContent[]): Promise<void>;
  isPrepared(stageHash: string): Promise<boolean>;
  /**
   * Runs the task's setup commands once per hash under a lock, and says when its turn begins; throws SetupFailedError with
   * the log's tail. Whoever waits ends a setup of that stage that outlived its worker and its own `limitSeconds`.
   */
  prepare(stageHash: string, commands: string[], options: SetupOptions): Promise<void>;
  /** Interpreters of Python there for a version such as 3.11; `env` says where to look on this machine. */
  findPythons(version: string, env: Readonly<Record<string, string>>): Promise<Pythons>;
  /** Makes the run directory and starts a detached supervisor; launching twice is harmless. */
  launch(spec: RunSpec): Promise<void>;
  inspect(run: RunRef): Promise<RunState>;
  /**
   * Output from there on and looks at it, then exactly one `ended` or `lost`. Ends early, without either, when the signal aborts.
   * By one offset both streams are followed as one, by two each for itself.
   */
  follow(run: RunRef, from: number | Offsets, signal: AbortSignal): AsyncIterable<FollowEvent>;
  /** TERM, grace, KILL of the tree, confirmed gone; a no-op on a run that ended, or whose claim carries a higher fence. */
  kill(run: RunRef, fence: number): Promise<void>;
  /** Throws RunGoneError where nothing of the run is left. */
  collect(run: RunRef, wanted: CollectOptions): Promise<Collected>;
  /**
   * Starts the candidate's answering program in a fresh copy of workspace, candidate and the artefacts that the spec names: of
   * what the ended run left it sees no more. Ends older conversations with that run first: whoever began them is asleep, or was
   * given up. Throws RunGoneError, and SlotTakenError where another installation holds a GPU of the run by now.
   */
  converse(spec: RunSpec): Promise<Conversation>;
  /** Removes a run directory that nothing lives in. */
  remove(run: RunRef): Promise<void>;
  /** Removes expired run directories and kills orphans of this installation; returns what it removed. */
  sweep(options: { keep: RunRef[]; olderThanSeconds: number; dryRun: boolean }): Promise<SweepResult>;
}
