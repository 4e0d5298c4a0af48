/** Colours of a drawing by their role. */
export const ROLES = [
  ...(['surface', 'sunken', 'line', 'line-strong', 'ink', 'ink-2', 'accent', 'accent-soft'] as const),
  ...(['warn', 'warn-soft', 'bad', 'bad-soft', 'good', 'good-soft'] as const),
  ...(['keep', 'confirm', 'discard', 'absorbed', 'scored', 'stopped-early', 'failed', 'cached'] as const),
] as const;
export type Role = (typeof ROLES)[number];
export type Palette = (role: Role) => string;

/** Of the page: its custom properties, so that light and dark need no new drawing. */
export const pagePalette: Palette = (role) => `var(--${role})`;

/** Of paper, equal to the page's light theme. */
const PAPER: Record<Role, string> = {
  ...{ surface: '#ffffff', sunken: '#f0f0ec', line: '#dddcd6', 'line-strong': '#b9b8b1' },
  ...{ ink: '#1a1b1c', 'ink-2': '#55595d', accent: '#005e94', 'accent-soft': '#e3eff6' },
  ...{ warn: '#8a4b00', 'warn-soft': '#fdf0dc', bad: '#a83a00', 'bad-soft': '#fbe9e0' },
  ...{ good: '#00664a', 'good-soft': '#e0f2ec' },
  ...{ keep: '#009e73', confirm: '#0072b2', discard: '#8c8c86', absorbed: '#cc79a7' },
  ...{ scored: '#5f6a72', 'stopped-early': '#b37700', failed: '#d55e00', cached: '#b9b8b1' },
};
export const paperPalette: Palette = (role) => PAPER[role];
