import type { Ink } from '../layers.ts';

const known = new Map<string, string>();

/** The colour of an ink in the theme of now. */
export function colourOf(ink: Ink): string {
  const found = known.get(ink);
  if (found !== undefined) return found;
  const value = getComputedStyle(document.documentElement).getPropertyValue(ink).trim();
  known.set(ink, value);
  return value;
}

/** Calls back after the theme changed, when colours are new. */
export function onTheme(changed: () => void): () => void {
  const hear = () => {
    known.clear();
    changed();
  };
  addEventListener('themechange', hear);
  return () => removeEventListener('themechange', hear);
}
