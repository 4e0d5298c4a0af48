import type { Task } from '../task/task.ts';
import type { FailureLabel } from '../trial.ts';

/** Facts of the task, and of the machine that attacks are tried on. */
export interface Target {
  task: Task;
  /** Files of the workspace that must not change. */
  immutable: readonly string[];
  /** A word that nothing else on the machine has: names what the attack leaves. */
  mark: string;
  /** Files and folders that no run may read; empty where they are not known. */
  secrets: readonly string[];
  /** TCP ports of this machine that no run may reach. */
  ports: readonly number[];
}

/** POSIX shell, by when it is run. A script that comes to its end lets the program go on; `exit` ends the program with that code. */
export interface Acts {
  /** In the run, before the program does any work. */
  begin?: string;
  /** In the run, after the program has done its work. */
  end?: string;
  /** In the answering program of an interactive evaluator, before it reads a question. */
  answer?: string;
}

/** How a trial may end: a label, or with a score. */
export type ExpectedEnding = FailureLabel | 'completed';

/** One way in which a hostile candidate tries to cheat. A file and a line in the table make a new one. */
export interface Attack {
  name: string;
  /** Its aim, in one line. */
  tries: string;
  /** Where it acts: in the run, or only in the program that answers. */
  where: 'run' | 'answer';
  acts: (target: Target) => Acts;
  /** Endings that are meant; with a score only where it is no better than honest work gives. */
  expected: readonly ExpectedEnding[];
  /** Why it does not apply to the task; null where it does. */
  unfit?: (target: Target) => string | null;
  /** Its cost, where the machine has much to bear: then it is run only when asked for. Null where it is little. */
  heavy?: (target: Target) => string | null;
  /** Candidates that try it, one after the other; default: 1. */
  times?: number;
}
