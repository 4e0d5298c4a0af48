import { defineConfig } from 'vitest/config';
import { globalSetup, LONG, usual } from '../../vitest.config.ts';

/** The main path in two minutes: decisions, and the loop on real servers with one death per layer. */
export default defineConfig({
  test: {
    ...usual,
    globalSetup,
    projects: [
      {
        test: {
          ...usual,
          name: 'decisions',
          include: ['test/domain/**/*.test.ts', 'test/view/**/*.test.ts', 'test/config/**/*.test.ts'],
          exclude: [LONG, 'test/domain/abort/**'],
          isolate: false,
        },
      },
      { test: { ...usual, name: 'deaths', include: ['test/e2e/failures/deaths.test.ts'] } },
    ],
  },
});
