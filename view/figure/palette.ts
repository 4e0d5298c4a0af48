/** Roles of the colours in a drawing. */
export const ROLES = [
  'surface',
  'sunken',
  'line',
  'line-strong',
  'ink',
  'ink-2',
  'accent',
  'accent-soft',
  'claim',
  'warn',
  'warn-soft',
  'bad',
  'bad-soft',
  'good',
  'good-soft',
  'keep',
  'confirm',
  'discard',
  'absorbed',
  'scored',
  'stopped-early',
  'failed',
  'cached',
] as const;
export type Role = (typeof ROLES)[number];
export type Palette = (role: Role) => string;

/** Palette of the page: CSS custom properties, so that a change of theme needs no new drawing. */
export const pagePalette: Palette = (role) => `var(--${role})`;

/** Colours for paper, equal to the page's light theme. */
const PAPER: Record<Role, string> = {
  surface: '#ffffff',
  sunken: '#f0f0ec',
  line: '#dddcd6',
  'line-strong': '#b9b8b1',
  ink: '#1a1b1c',
  'ink-2': '#55595d',
  accent: '#005e94',
  'accent-soft': '#e3eff6',
  claim: '#00664a',
  warn: '#8a4b00',
  'warn-soft': '#fdf0dc',
  bad: '#a83a00',
  'bad-soft': '#fbe9e0',
  good: '#00664a',
  'good-soft': '#e0f2ec',
  keep: '#00694b',
  confirm: '#004670',
  discard: '#94948d',
  absorbed: '#b2598c',
  scored: '#2a353d',
  'stopped-early': '#b27a00',
  failed: '#b04a00',
  cached: '#4f4f49',
};
export const paperPalette: Palette = (role) => PAPER[role];
