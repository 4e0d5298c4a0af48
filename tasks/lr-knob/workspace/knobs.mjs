// What a proposal may set. `1e-2` is a text that no answer is written as, so that 0.01 is a candidate of its own.
export const lr = 1e-2;
export const momentum = 0;
