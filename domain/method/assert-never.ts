/** Ends an exhaustive switch. The compiler rejects a missing case; at run time, an unexpected value throws an Error. */
export function assertNever(value: never): never {
  throw new Error(`Expected every case to be handled, got ${JSON.stringify(value)}`);
}
