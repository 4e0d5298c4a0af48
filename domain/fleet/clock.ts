/** By how much the clock of a host is off, where that is more than so many seconds; null where it is not. */
export const clockProblem = (ahead: number, tolerated: number): string | null =>
  Math.abs(ahead) > tolerated
    ? `its clock is ${Math.abs(ahead).toFixed(0)} s ${ahead > 0 ? 'ahead of' : 'behind'} ours`
    : null;
