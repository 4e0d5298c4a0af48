import type { Task } from '../task/task.ts';
import type { FailureLabel } from '../trial.ts';

/** Facts of the task, and of the machine that attacks are tried on. */
export interface Target {
  task: Task;
  /** Files of the workspace that must not change. */
  immutable: readonly string[];
  /** Word that occurs nowhere else on the machine; names the attack's leftovers. */
  mark: string;
  /** Files and folders that no run may read; empty if they are not known. */
  secrets: readonly string[];
  /** TCP ports of this machine that no run may reach. */
  ports: readonly number[];
}

/**
 * Scripts in POSIX shell, by the time at which they run. A script that reaches its end lets the program go on; `exit`
 * ends the program with that code.
 */
export interface Acts {
  /** In the run, before the program does any work. */
  begin?: string;
  /** In the run, after the program has done its work. */
  end?: string;
  /** In the answering program of an interactive evaluator, before it reads a question. */
  answer?: string;
}

/** Ending of a trial: a failure label, or `completed` with a score. */
export type ExpectedEnding = FailureLabel | 'completed';

/** One way in which a hostile candidate tries to cheat. A new attack is a file and a line in the table. */
export interface Attack {
  name: string;
  /** Its aim, in one line. */
  tries: string;
  /** Process in which it acts: the run, or only the program that answers the evaluator. An exploit is both. */
  where: 'run' | 'answer' | 'exploit';
  acts: (target: Target) => Acts;
  /** Endings that show a held defence. `completed` is one only if the score is no better than honest work gives. */
  expected: readonly ExpectedEnding[];
  /** Reason why the attack does not apply to the task; null if it does. */
  unfit?: (target: Target) => string | null;
  /** Cost of an attack that burdens the machine: it runs only on request. Null if the cost is small. */
  heavy?: (target: Target) => string | null;
  /** Number of candidates that try it, one after the other; default: 1. */
  times?: number;
}
