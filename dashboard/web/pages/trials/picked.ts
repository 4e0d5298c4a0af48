/** Trials that are picked for a comparison, as an address holds them: `12,40`; two at most. */
export function pickedOf(params: URLSearchParams): number[] {
  const numbers = (params.get('pick') ?? '').split(',').filter((part) => /^\d{1,9}$/.test(part));
  return [...new Set(numbers.map(Number))].slice(-2);
}

/** The same with one more, or without it where it was there; a third one takes the place of the first. */
export const pickedWith = (picked: readonly number[], n: number): number[] =>
  (picked.includes(n) ? picked.filter((one) => one !== n) : [...picked, n]).slice(-2);

export const pickedText = (picked: readonly number[]): string | null => (picked.length === 0 ? null : picked.join(','));
