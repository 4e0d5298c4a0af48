import type { Palette, Role } from '../../../../view/figure/palette.ts';

/** Colours of the theme of now, for a canvas, which knows no custom properties. Each is read once. */
export function pageColours(): Palette {
  const style = getComputedStyle(document.documentElement);
  const known = new Map<Role, string>();
  return (role) => {
    const found = known.get(role) ?? style.getPropertyValue(`--${role}`).trim();
    known.set(role, found);
    return found;
  };
}
