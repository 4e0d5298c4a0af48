import { defineConfig } from 'vitest/config';
import { ALONE, globalSetup, LONG, sideBySide, usual } from '../../vitest.config.ts';

const IS_LONG = /\.long\.test\.ts$/;
const alone = ALONE.filter((path) => IS_LONG.test(path));

/** Tests that `npm test` leaves out. */
export default defineConfig({
  test: {
    ...sideBySide,
    globalSetup,
    projects: [
      { test: { ...usual, name: 'sharing', include: [LONG], exclude: alone, isolate: false } },
      ...(alone.length > 0 ? [{ test: { ...usual, name: 'alone', include: alone } }] : []),
    ],
  },
});
