/** Bits per character of the best possible predictor: what entropyRate() of entropy.mjs computes, kept to save its time. */
export const ENTROPY_RATE = 0.7210116451432714;
