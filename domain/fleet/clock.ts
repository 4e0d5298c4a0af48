/** Describes the error of a host's clock if it exceeds the tolerated seconds, else null; `ahead` is in seconds. */
export const clockProblem = (ahead: number, tolerated: number): string | null =>
  Math.abs(ahead) > tolerated
    ? `its clock is ${Math.abs(ahead).toFixed(0)} s ${ahead > 0 ? 'ahead of' : 'behind'} ours`
    : null;
