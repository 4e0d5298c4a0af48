/** Bytes of a value as JSON, as a history and the network carry it; 0 of what JSON leaves out. */
export const jsonBytes = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value) ?? '').length;
