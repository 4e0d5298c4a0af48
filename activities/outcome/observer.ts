import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { Trial } from '../../db/trial/proposal.ts';
import type { Advance } from '../../domain/gate/types.ts';
import type { Verdict } from '../../domain/trial.ts';

/** An outcome that was just written, in the transaction that wrote it. */
export interface Outcome {
  /** The store, bound to that transaction, which holds the research's lock. */
  tx: TxStore;
  /** The research before this outcome. */
  research: Research;
  /** The trial as it was written, without its verdict. */
  trial: Trial;
  /** The reason why the trial's value cannot be compared with values of the research; null if it can. */
  incomparableReason: string | null;
}

/** Conclusions of the observers so far. */
export interface Conclusions {
  /** Verdict on the trial. */
  verdict: Verdict;
  /** The step that the gate took for the outcome; null if it took none. */
  advance: Advance | null;
}

/**
 * Receives each outcome once, in the transaction that writes the outcome, and writes through `tx`. Returns additions to
 * the conclusions of earlier observers. If an observer throws, the outcome is rolled back and the trial is settled
 * again, so an observer must not do work that may fail.
 */
export type OutcomeObserver = (outcome: Outcome, conclusions: Conclusions) => Promise<Partial<Conclusions>>;
