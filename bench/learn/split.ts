/** Value of an answer that cannot be read, and of a failed run. */
export const WORST = -1;

/** Answers of a policy: the share of readable ones, and their mean value. */
export interface Answers {
  readShare: number;
  readMean: number;
}

/** Mean value of all answers. */
export const meanOf = ({ readShare, readMean }: Answers): number => WORST + readShare * (readMean - WORST);

/** Parts of a gain, whose sum it is. */
export interface Split {
  /** More readable answers. */
  form: number;
  /** Better values of the readable ones. */
  values: number;
}

/**
 * Splits the difference of two means: each part is the change of one factor, times the mean of the other one. No order
 * of the two changes is preferred.
 */
export function splitGain(before: Answers, after: Answers): Split {
  return {
    form: (after.readShare - before.readShare) * ((after.readMean + before.readMean) / 2 - WORST),
    values: (after.readMean - before.readMean) * ((after.readShare + before.readShare) / 2),
  };
}
