/** A number and what it counts, in words: `1 run`, `2 runs`. */
export const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
