/** A trial that ran a candidate. */
export interface CandidateTrial {
  n: number;
  candidateId: string;
  parentId: string | null;
}

/** Candidates below a candidate that is shown. */
export interface Below {
  children: number;
  /** Not shown, nor below another one that is. */
  hidden: number;
}

const NONE = -1;

/**
 * The lineage of a research is a forest: a candidate hangs at the parent of the first trial that ran it. Trials may be added in
 * any order, and again.
 */
export class Lineage {
  readonly #ids: string[] = [];
  readonly #indexOf = new Map<string, number>();
  /** By index: the parent's, and the number of the first trial; `NONE` where there is none. */
  readonly #parents: number[] = [];
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

  /** Candidates that a trial ran or is to run. */
  get candidates(): number {
    return this.#run;
  }

  parentOf(id: string): string | null {
    return this.#ids[this.#parents[this.#indexOf.get(id) ?? NONE] ?? NONE] ?? null;
  }

  /** From its root to this one, in order. */
  wayTo(id: string): string[] {
    const way = new Set<string>();
    // Rows that lead in a circle, as only a damaged database has them, end it.
    for (let at: string | null = id; at !== null && !way.has(at); at = this.parentOf(at)) way.add(at);
    return [...way].reverse();
  }

  /** Of each shown candidate what is below it. */
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

  /** By index: the shown candidate that it is or that is nearest above it. */
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
        nearest[at] = NONE; // so that a circle ends
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
