import { defineConfig } from 'vitest/config';
import { globalSetup, LONG, usual } from '../../vitest.config.ts';

/** The main way in two minutes: what is decided, and one loop on real servers. */
export default defineConfig({
  test: {
    ...usual,
    globalSetup,
    projects: [
      {
        test: {
          ...usual,
          name: 'decisions',
          include: ['test/domain/**/*.test.ts', 'test/config/**/*.test.ts'],
          exclude: [LONG, 'test/domain/abort/**'],
          isolate: false,
        },
      },
      { test: { ...usual, name: 'loop', include: ['test/e2e/loop.test.ts'] } },
    ],
  },
});
