import type { AwakeTimer } from './awake.ts';
import { reachableTimeout, type OutageAllowance } from './host-reachability.ts';

/** Knows, when the evaluator's time is over, whether the candidate was the one awaited; `limit` in seconds. */
export class Silence {
  readonly #limit: number;
  readonly #allowance: OutageAllowance;
  #said: 'owed' | 'heard' | undefined;
  #isOver = false;
  #timer: AwakeTimer | undefined;
  #closed = false;
  #listening = true;

  constructor(limit: number, allowance: OutageAllowance) {
    this.#limit = limit;
    this.#allowance = allowance;
  }

  /** The candidate was asked, or is in the middle of a line. */
  owed(): void {
    this.#timer?.clear();
    this.#said = 'owed';
  }

  /** The candidate ended a line; it may owe another. */
  heard(): void {
    this.#timer?.clear();
    this.#said = 'heard';
    this.#isOver = false;
    if (this.#closed) return;
    // Not by the wall clock: while this process sleeps, or the host is away, nobody is heard.
    this.#timer = reachableTimeout(this.#limit * 1000, this.#allowance, () => (this.#isOver = true));
  }

  /** False while nobody can hear the candidate: the evaluator does not read, or all has been said. */
  listen(listening: boolean): void {
    this.#listening = listening;
  }

  /** What the candidate failed to do; undefined where the evaluator kept itself waiting. */
  overdue(): string | undefined {
    if (!this.#listening) return undefined;
    if (this.#said === 'owed') return "expected an answer before the evaluator's time was over; none came";
    if (this.#said === undefined || !this.#isOver) return undefined;
    return `expected no silence over ${this.#limit} s; no line came for longer before the evaluator's time was over`;
  }

  close(): void {
    this.#closed = true;
    this.#timer?.clear();
  }
}
