import { InvalidArgumentError } from 'commander';

/** A parser of an option's whole number. Throws InvalidArgumentError outside of the range. */
export const wholeFrom = (min: number, max: number) => (text: string) => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
};
