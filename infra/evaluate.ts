/** The port to the trusted evaluator, which runs on the worker's machine, never on a run's host. */
import type { Runtime } from '../domain/metric/runtime.ts';
import type { Conversation, FileContent } from './compute.ts';

/** Result of an evaluator, read from a descriptor that only the evaluator has. */
export interface Evaluation {
  /** Raw numbers by name, as the evaluator wrote them; bounds are checked by the caller. */
  metrics: Record<string, number>;
  /** Free text for people and proposers, cut to 4 KiB. */
  notes: string | null;
  seconds: number;
}

export type EvaluationFailure = {
  label:
    | 'evaluator-failed'
    | 'evaluator-timeout'
    | 'candidate-protocol'
    | 'output-limit'
    | 'cpu-time'
    | 'out-of-memory'
    | 'too-many-processes'
    | 'disk-limit'
    | 'metric-unreadable'
    | 'evaluator-changed';
  message: string;
  logTail: string;
  /** Reason to suspect the network, so that a repeat is worthwhile; without one, this failure stands. */
  doubt?: string;
};

export interface EvaluateSpec {
  /** Evaluator files, laid out in a fresh directory and compared with these before the run and after it. */
  files: FileContent[];
  command: string;
  /** First entries of the PATH. */
  path?: readonly string[];
  timeoutSeconds: number;
  /** PERPETUA_SEED of the evaluator, for the held-out draw. */
  seed: number;
  /** PERPETUA_TASK_SECRET of the evaluator; absent if the task draws nothing. */
  secret?: string | undefined;
  /** Further folders of this machine that the sandbox shows to the evaluator. */
  readable?: readonly string[] | undefined;
  /** True: the evaluator shares the network of this machine. */
  network?: boolean | undefined;
  /** True: the evaluator sees the GPUs of this machine. */
  gpu?: boolean | undefined;
  /**
   * `none`: no sandbox even if this machine gives one. `required`: throws SandboxMissingError without one. Default: no
   * sandbox only if this machine has given none since this evaluator was made; else the same error.
   */
  sandbox?: 'none' | 'required' | undefined;
  /** Artefacts of the run, read-only beside the evaluator as `artefacts/<path>`. */
  artefacts: FileContent[];
  /** Facts of the run, beside the evaluator as `runtime.json`. */
  runtime: Runtime;
  /** Set for an interactive evaluator: its stdin and stdout are connected to the candidate's program. */
  conversation: Conversation | null;
  limits: { roundSeconds: number; lineBytes: number; totalBytes: number };
}

/** Request to draw a file for this installation. */
export interface DrawSpec {
  files: FileContent[];
  /** Shell command whose stdout is the file. */
  command: string;
  /** First entries of the PATH. */
  path?: readonly string[];
  /** PERPETUA_TASK_SECRET of the command. */
  secret: string;
  timeoutSeconds: number;
}

/** Request to run a command beside the files of a candidate, in a sandbox without network. */
export interface CheckSpec {
  files: FileContent[];
  /** Shell command; its exit code decides. */
  command: string;
  /** First entries of the PATH. */
  path: readonly string[];
  timeoutSeconds: number;
  memoryMb: number;
}

export interface CheckResult {
  /** The fault of the files, as a clause: `ended with exit code 1`; null: they pass. */
  problem: string | null;
  /** End of the command's output. */
  log: string;
}

export interface Evaluator {
  /** Describes the first artefact that may execute code when loaded; null: none. */
  findCode(artefacts: readonly FileContent[]): Promise<string | null>;
  /**
   * True if this machine gives evaluators a sandbox; without one they run as the worker's user. Throws
   * SandboxMissingError if it gave one before and gives none now.
   */
  hasSandbox(): Promise<boolean>;
  /** Draws a file for use beside the evaluator's files; throws SetupFailedError. */
  draw(spec: DrawSpec): Promise<Uint8Array>;
  /** Checks the files of a candidate by a command; throws SandboxMissingError. */
  check(spec: CheckSpec, signal: AbortSignal): Promise<CheckResult>;
  evaluate(
    spec: EvaluateSpec,
    signal: AbortSignal,
  ): Promise<{ ok: true; evaluation: Evaluation } | { ok: false; failure: EvaluationFailure }>;
}
