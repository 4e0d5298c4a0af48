/** A trial that ran a candidate. */
export interface CandidateTrial {
  n: number;
  candidateId: string;
  parentId: string | null;
}

/** Numbers of candidates below a shown candidate. */
export interface Below {
  children: number;
  /** Descendants that are neither shown nor below another shown candidate. */
  hidden: number;
}

const NONE = -1;

/**
 * The lineage of a research, as a forest. The parent of a candidate is that of the first trial that ran it. Trials may
 * be added in any order, and repeatedly.
 */
export class Lineage {
  readonly #ids: string[] = [];
  readonly #indexOf = new Map<string, number>();
  /** Index of the parent, by index; `NONE` without a parent. */
  readonly #parents: number[] = [];
  /** Number of the first trial, by index; `NONE` without a trial. */
  readonly #firsts: number[] = [];
  #run = 0;

  add({ n, candidateId, parentId }: CandidateTrial): void {
    const index = this.#know(candidateId);
    const first = this.#firsts[index] ?? NONE;
    if (first !== NONE && first <= n) return;
    if (first === NONE) this.#run += 1;
    this.#firsts[index] = n;
    this.#parents[index] = parentId === null || parentId === candidateId ? NONE : this.#know(parentId);
  }

  /** Number of candidates that a trial has run or will run. */
  get candidates(): number {
    return this.#run;
  }

  parentOf(id: string): string | null {
    return this.#ids[this.#parents[this.#indexOf.get(id) ?? NONE] ?? NONE] ?? null;
  }

  /** Candidates from the root to this one, in order. */
  wayTo(id: string): string[] {
    const way = new Set<string>();
    // A cycle, as only a damaged database has, ends the path.
    for (let at: string | null = id; at !== null && !way.has(at); at = this.parentOf(at)) way.add(at);
    return [...way].reverse();
  }

  /** Numbers of candidates below each shown one, by id. */
  below(shown: ReadonlySet<string>): Map<string, Below> {
    const counts = new Map([...shown].map((id): [string, Below] => [id, { children: 0, hidden: 0 }]));
    const nearest = this.#nearest(shown);
    this.#ids.forEach((id, index) => {
      const parent = counts.get(this.#ids[this.#parents[index] ?? NONE] ?? '');
      if (parent) parent.children += 1;
      const above = shown.has(id) ? undefined : counts.get(this.#ids[nearest[index] ?? NONE] ?? '');
      if (above) above.hidden += 1;
    });
    return counts;
  }

  /** Index of the candidate itself if shown, else of its nearest shown ancestor, by index; `NONE` without one. */
  #nearest(shown: ReadonlySet<string>): Int32Array {
    const unknown = -2;
    const nearest = new Int32Array(this.#ids.length).fill(unknown);
    for (const id of shown) {
      const index = this.#indexOf.get(id);
      if (index !== undefined) nearest[index] = index;
    }
    for (let from = 0; from < nearest.length; from += 1) {
      const line: number[] = [];
      let at = from;
      while (at !== NONE && nearest[at] === unknown) {
        nearest[at] = NONE; // ends a cycle
        line.push(at);
        at = this.#parents[at] ?? NONE;
      }
      const found = at === NONE ? NONE : (nearest[at] ?? NONE);
      for (const index of line) nearest[index] = found;
    }
    return nearest;
  }

  #know(id: string): number {
    const known = this.#indexOf.get(id);
    if (known !== undefined) return known;
    const index = this.#ids.push(id) - 1;
    this.#indexOf.set(id, index);
    this.#parents.push(NONE);
    this.#firsts.push(NONE);
    return index;
  }
}
