/** A number with its noun in singular or plural: `1 run`, `2 runs`. */
export const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
