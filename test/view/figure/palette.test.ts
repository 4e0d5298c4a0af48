import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pagePalette, paperPalette, ROLES } from '../../../view/figure/palette.ts';

const tokens = readFileSync('dashboard/web/style/tokens.css', 'utf8');
const light = tokens.slice(0, tokens.indexOf("[data-theme='dark']"));

test.each(ROLES)('%s is the same on paper as on the page', (role) => {
  expect(light).toContain(`  --${role}: ${paperPalette(role)};`);
  expect(pagePalette(role)).toBe(`var(--${role})`);
});
