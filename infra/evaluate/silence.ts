import type { AwakeTimer } from './awake.ts';
import { reachableTimeout, type OutageAllowance } from './host-reachability.ts';

/**
 * Decides, when the evaluator's time is over, whether the evaluator was waiting for the candidate. `limit`: longest
 * allowed silence of the candidate, in seconds.
 */
export class Silence {
  readonly #limit: number;
  readonly #allowance: OutageAllowance;
  #state: 'owed' | 'heard' | undefined;
  /** True if the limit has passed since the last line. */
  #isOver = false;
  #timer: AwakeTimer | undefined;
  #closed = false;
  #listening = true;

  constructor(limit: number, allowance: OutageAllowance) {
    this.#limit = limit;
    this.#allowance = allowance;
  }

  /** Records that the candidate owes an answer, or the rest of a line. */
  owed(): void {
    this.#timer?.clear();
    this.#state = 'owed';
  }

  /** Records that the candidate ended a line; it may owe another one. */
  heard(): void {
    this.#timer?.clear();
    this.#state = 'heard';
    this.#isOver = false;
    if (this.#closed) return;
    // Counts only the time in which this process is awake and the host reachable.
    this.#timer = reachableTimeout(this.#limit * 1000, this.#allowance, () => (this.#isOver = true));
  }

  /** Sets whether the candidate can be late. It cannot while the evaluator does not read, or after the last answer. */
  listen(listening: boolean): void {
    this.#listening = listening;
  }

  /** Describes the candidate's failure to answer; undefined if the evaluator was not waiting for the candidate. */
  overdue(): string | undefined {
    if (!this.#listening) return undefined;
    if (this.#state === 'owed') return "expected an answer before the evaluator's time limit; none came";
    if (this.#state === undefined || !this.#isOver) return undefined;
    return `expected a line within ${this.#limit} s of the last one; none came before the evaluator's time limit`;
  }

  close(): void {
    this.#closed = true;
    this.#timer?.clear();
  }
}
