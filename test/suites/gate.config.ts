import { defineConfig } from 'vitest/config';
import { AGENTS, ALONE, globalSetup, sideBySide, TRAINER, usual } from '../../vitest.config.ts';

/**
 * The tests of `npm test` and a part of the long ones in one run. Long tests mostly wait, and others use the cores
 * meanwhile. `--shard` chooses the part; see test/support/vitest/slow-first.ts.
 */
export default defineConfig({
  test: {
    ...sideBySide,
    globalSetup,
    projects: [
      {
        test: {
          ...usual,
          name: 'sharing',
          include: ['test/**/*.test.ts'],
          exclude: [TRAINER, AGENTS, ...ALONE],
          isolate: false,
        },
      },
      { test: { ...usual, name: 'alone', include: ALONE, exclude: [TRAINER, AGENTS] } },
    ],
  },
});
