/** Ends an exhaustive switch: the compiler refuses a case that was forgotten, the run names one that came from outside. */
export function assertNever(value: never): never {
  throw new Error(`Expected every case to be handled, got ${JSON.stringify(value)}`);
}
