/** Runs the trusted evaluator on the controller, never on a run's host. */
import type { Runtime } from '../domain/metric/runtime.ts';
import type { Conversation, FileContent } from './compute.ts';

/** What an evaluator may say; read only from the descriptor or path that it alone has. */
export interface Evaluation {
  /** Raw numbers by name, as the evaluator wrote them; bounds are checked by the caller. */
  metrics: Record<string, number>;
  /** A free text for people and proposers, cut to 4 KiB. */
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
  /** Why it may be the network's: the program is worth asking again, and this is what came of it where it is not. */
  doubt?: string;
};

export interface EvaluateSpec {
  /** Evaluator files, laid out in a fresh directory and compared with these before the run and after it. */
  files: FileContent[];
  command: string;
  /** First on its PATH. */
  path?: readonly string[];
  timeoutSeconds: number;
  /** PERPETUA_SEED for the evaluator: drives the held-out draw. */
  seed: number;
  /** PERPETUA_TASK_SECRET for the evaluator; absent where its task draws nothing. */
  secret?: string | undefined;
  /** Read-only beside the evaluator as `artefacts/<path>`. */
  artefacts: FileContent[];
  /** Beside the evaluator as `runtime.json`. */
  runtime: Runtime;
  /** Set for an interactive evaluator: its stdin and stdout are crossed with the candidate's. */
  conversation: Conversation | null;
  limits: { roundSeconds: number; lineBytes: number; totalBytes: number };
}

/** A file that is drawn for this installation. */
export interface DrawSpec {
  files: FileContent[];
  /** Its stdout is the file. */
  command: string;
  /** First on its PATH. */
  path?: readonly string[];
  /** PERPETUA_TASK_SECRET for it. */
  secret: string;
  timeoutSeconds: number;
}

export interface Evaluator {
  /** Draws a file beside the evaluator's; throws SetupFailedError. */
  draw(spec: DrawSpec): Promise<Uint8Array>;
  evaluate(
    spec: EvaluateSpec,
    signal: AbortSignal,
  ): Promise<{ ok: true; evaluation: Evaluation } | { ok: false; failure: EvaluationFailure }>;
}
