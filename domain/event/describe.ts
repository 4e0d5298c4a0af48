import { EVENTS } from './kinds.ts';

/** An event as it is stored: this build may know neither its kind nor its data. */
export interface StoredEvent {
  kind: string;
  n: number | null;
  data: unknown;
}

/**
 * An event in words. One of another version, of a kind or with data that this build does not know, reads as its kind and what
 * it carries: nothing is left out.
 */
export function describeEvent({ kind, n, data }: StoredEvent): string {
  const known = Object.hasOwn(EVENTS, kind) ? EVENTS[kind as keyof typeof EVENTS] : undefined;
  const parsed = known?.data.safeParse(data);
  // The table pairs each kind with its own words; the compiler sees a union of them.
  if (known && parsed?.success) return (known.say as (data: unknown, n: number | null) => string)(parsed.data, n);
  return `${kind}${n === null ? '' : ` #${n}`} ${JSON.stringify(data)}`;
}
