import { EVENTS } from './kinds.ts';

/** An event as stored: this build may know neither its kind nor its data. */
export interface StoredEvent {
  kind: string;
  n: number | null;
  data: unknown;
}

/**
 * Describes an event. For an event of another version, whose kind or data this build does not know, the text is the
 * kind with the raw data. So nothing is left out.
 */
export function describeEvent({ kind, n, data }: StoredEvent): string {
  const known = Object.hasOwn(EVENTS, kind) ? EVENTS[kind as keyof typeof EVENTS] : undefined;
  const parsed = known?.data.safeParse(data);
  // The cast holds because the table pairs each kind's schema with its text; the compiler only sees unions.
  if (known && parsed?.success) return (known.say as (data: unknown, n: number | null) => string)(parsed.data, n);
  return `${kind}${n === null ? '' : ` #${n}`} ${JSON.stringify(data)}`;
}
