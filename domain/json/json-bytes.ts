/** Bytes of a value as JSON in UTF-8, its size in a history and on the network; 0 for a value that JSON omits. */
export const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value) ?? '').length;
