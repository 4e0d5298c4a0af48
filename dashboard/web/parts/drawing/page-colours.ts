import type { Palette, Role } from '../../../../view/figure/palette.ts';

/** Palette of the current theme for a canvas, which cannot use CSS custom properties. Each colour is read once. */
export function pageColours(): Palette {
  const style = getComputedStyle(document.documentElement);
  const known = new Map<Role, string>();
  return (role) => {
    const found = known.get(role) ?? style.getPropertyValue(`--${role}`).trim();
    known.set(role, found);
    return found;
  };
}
