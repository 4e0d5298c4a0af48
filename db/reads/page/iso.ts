/** A moment of a row that no schema has parsed, as ISO 8601. */
export const isoOf = (at: string | Date): string => new Date(at).toISOString();

/** A moment as ISO 8601; null if there is none. */
export const isoOrNull = (at: string | Date | null): string | null => (at === null ? null : isoOf(at));
