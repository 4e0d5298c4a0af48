/** Knows, when the evaluator's time is over, whether the candidate was the one awaited; `limit` in seconds. */
export class Silence {
  readonly #limit: number;
  #last: { owed: boolean; at: number } | undefined;
  #listening = true;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The candidate was asked, or is in the middle of a line. */
  owed(): void {
    this.#last = { owed: true, at: performance.now() };
  }

  /** The candidate ended a line; it may owe another. */
  heard(): void {
    this.#last = { owed: false, at: performance.now() };
  }

  /** False while nobody can hear the candidate: the evaluator does not read, or all has been said. */
  listen(listening: boolean): void {
    this.#listening = listening;
  }

  /** What the candidate failed to do; undefined where the evaluator kept itself waiting. */
  overdue(): string | undefined {
    if (!this.#listening || !this.#last) return undefined;
    if (this.#last.owed) return "expected an answer before the evaluator's time was over; none came";
    const seconds = (performance.now() - this.#last.at) / 1000;
    if (seconds <= this.#limit) return undefined;
    return `expected no silence over ${this.#limit} s; the last line came ${seconds.toFixed(1)} s before the evaluator's time was over`;
  }
}
