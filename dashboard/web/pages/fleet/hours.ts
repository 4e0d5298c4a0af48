/** Time spans to choose from, in hours. */
export const HOURS = [
  { value: '1', words: '1 h' },
  { value: '6', words: '6 h' },
  { value: '24', words: '24 h' },
] as const;
export type Hours = (typeof HOURS)[number]['value'];

/** Time span if the address has none. */
export const DEFAULT_HOURS: Hours = '6';

export const hoursOf = (asked: string | null): Hours =>
  HOURS.find(({ value }) => value === asked)?.value ?? DEFAULT_HOURS;
