/**
 * Bits per character of the best possible predictor: the result of entropyRate() in entropy.mjs, stored to save time.
 */
export const ENTROPY_RATE = 0.7210116451432714;
