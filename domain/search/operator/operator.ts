/** Where a proposal of an operator starts, if not from the parent that the parent rule chooses. */
export type StartsFrom =
  /** The latest crashed candidate that no trial of the operator has started from. */
  | 'crashed'
  /** The chosen parent, with the files of another good candidate in the prompt. */
  | 'two-parents';

/** A kind of change that a model is asked for. */
export interface Operator {
  /** Request to the model, a sentence or two. `goal`: what the change shall do to the metric, such as `lowers loss`. */
  request: (this: void, goal: string) => string;
  /** Absent: the chosen parent alone. */
  startsFrom?: StartsFrom;
  /** `knobs`: an answer that changes anything but values of the task's knobs cannot be used. Default: any change. */
  changes?: 'knobs';
}
