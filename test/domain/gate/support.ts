import { advance, openGate, searchPoints } from '../../../domain/gate/gate.ts';
import type { Advance, EndedRun, GateConfig, GateState, Ruling, WantedRun } from '../../../domain/gate/types.ts';

export const CONFIG: GateConfig = {
  policy: 'noise-gated',
  direction: 'maximize',
  minDelta: 0,
  falseKeepsPer200: 0.05,
  baselineRuns: 10,
  repeats: 1,
  followsLead: true,
};

/** Ten runs of the baseline: mean 0, sd 1. */
export const BASELINE = [-1.5, 1.4, -0.9, 1.1, -0.4, 0.6, 0.1, -0.7, 1.2, -0.9];

/** Feeds runs to a gate, one by one. Keeps all rulings, wanted runs and claims. */
export class GateDriver {
  readonly config: GateConfig;
  state: GateState;
  wanted: WantedRun[];
  rulings: Ruling[] = [];
  claims: NonNullable<Advance['claimed']>[] = [];
  n = 0;

  constructor(config: Partial<GateConfig> = {}) {
    this.config = { ...CONFIG, ...config };
    const opened = openGate(this.config, 'base');
    this.state = opened.state;
    this.wanted = opened.wanted;
  }

  feed(run: Partial<EndedRun> & { value: number | null }): Advance {
    this.n += 1;
    const ended: EndedRun = {
      n: this.n,
      kind: 'search',
      candidateId: `c${this.n}`,
      parentId: 'base',
      ofTrial: null,
      seed: this.n,
      ...run,
    };
    const result = advance(this.config, this.state, ended);
    this.state = result.state;
    this.rulings.push(...result.rulings);
    this.wanted.push(...result.wanted);
    if (result.claimed) this.claims.push(result.claimed);
    return result;
  }

  /** Answers the wanted runs of the baseline. */
  calibrate(values: readonly number[] = BASELINE): this {
    for (const value of values) this.answer(() => value, 1);
    return this;
  }

  /** Answers wanted runs in order, until none is left or `most` runs are done. */
  answer(valueOf: (want: WantedRun) => number | null, most = 1000): void {
    for (let i = 0; i < most; i += 1) {
      const want = this.wanted.shift();
      if (!want) return;
      this.feed({ ...want, parentId: null, value: valueOf(want) });
    }
  }

  /** The last ruling on a trial. */
  verdictOf(n: number): Ruling | undefined {
    return this.rulings.filter((ruling) => ruling.n === n).at(-1);
  }
}

/** A fixed jitter with mean near 0 and sd near 1, so that nothing is bit-identical. */
export function jitter(i: number): number {
  return 1.4 * Math.sin(i * 2.399963);
}

/** The candidate from which the search starts: the lead or the incumbent, by the configuration. */
export const parentOf = (config: GateConfig, state: GateState): string =>
  searchPoints(config, state)[config.followsLead ? 'lead' : 'incumbent'];
