// The values that a proposal may set. The value of lr has more digits than an answer, so 0.01 is a new candidate.
export const lr = 0.0100001;
export const momentum = 0;
