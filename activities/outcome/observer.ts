import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import type { Advance } from '../../domain/gate/types.ts';
import type { Verdict } from '../../domain/trial.ts';

/** An outcome that was just written, in the transaction that wrote it. */
export interface Outcome {
  /** Bound to that transaction, which holds the research's lock. */
  tx: TxStore;
  /** As it was before this outcome. */
  research: Research;
  /** As it was written, without its verdict. */
  trial: Trial;
  /** Why it says nothing of what the research compares now, in words; null where it does. */
  apart: string | null;
}

/** Conclusions so far. */
export interface Concluded {
  /** On this trial. */
  verdict: Verdict;
  /** The step that the gate took for the outcome; null where it was passed by. */
  advance: Advance | null;
}

/**
 * Hears of each outcome once, in the transaction that writes it, and writes through its store. It returns what it adds to what
 * others concluded. One that throws rolls the outcome back, and the trial is settled again: what may fail belongs elsewhere.
 */
export type OutcomeObserver = (outcome: Outcome, before: Concluded) => Promise<Partial<Concluded>>;
