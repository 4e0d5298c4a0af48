import type { Ink } from '../layers.ts';

const known = new Map<string, string>();

/** The colour of an ink in the current theme. */
export function colourOf(ink: Ink): string {
  const found = known.get(ink);
  if (found !== undefined) return found;
  const value = getComputedStyle(document.documentElement).getPropertyValue(ink).trim();
  known.set(ink, value);
  return value;
}

/** Calls `changed` after the theme changes, once `colourOf` returns new colours. Returns the way to unsubscribe. */
export function onTheme(changed: () => void): () => void {
  const listener = () => {
    known.clear();
    changed();
  };
  addEventListener('themechange', listener);
  return () => removeEventListener('themechange', listener);
}
