// The port to an optimizer: a process that proposes values of knobs from scored candidates.

/** A number knob: type, lowest and highest value, scale. */
export type NumberRange = readonly [type: 'float' | 'int', low: number, high: number, scale: 'linear' | 'log'];

export interface AskRequest {
  /** Separates the studies of different researches. */
  key: string;
  knobs: readonly NumberRange[];
  direction: 'minimize' | 'maximize';
  /** Candidates of a generation. */
  population: number;
  /** Equal requests with equal seeds have equal answers. */
  seed: number;
  /** Values of the knobs and value of all scored candidates, oldest first. */
  solutions: readonly (readonly [values: readonly number[], value: number])[];
}

/** `down`: the process is missing, died or gave no answer, so a retry may succeed. `refused`: it reported an error. */
export type OptimizerErrorKind = 'down' | 'refused';

export class OptimizerError extends Error {
  override readonly name = 'OptimizerError';
  readonly kind: OptimizerErrorKind;
  constructor(message: string, kind: OptimizerErrorKind) {
    super(message);
    this.kind = kind;
  }
}

/** Starts its process with the first request. */
export interface Optimizer {
  /** Values for the knobs, in order. Throws {@link OptimizerError}, or the reason of the signal. */
  ask: (request: AskRequest, signal: AbortSignal) => Promise<number[]>;
}
