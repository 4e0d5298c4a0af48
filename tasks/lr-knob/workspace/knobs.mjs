// The values that a proposal may set. No answer is written as `1e-2`, so 0.01 is a new candidate.
export const lr = 1e-2;
export const momentum = 0;
