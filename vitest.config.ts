import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';
import { SlowFirst } from './test/support/vitest/slow-first.ts';

/** Simulations, measures of growth, a campaign by lot, matrices of deaths: what is dear, and seldom changes its answer. `npm run test:long`. */
export const LONG = 'test/**/*.long.test.ts';
/** Needs the trainer's Python environment: `npm run test:trainer`. */
export const TRAINER = 'test/**/*.trainer.test.ts';
/** Each has a process of its own, since it replaces a module, which others may have loaded before; all others share a few. */
export const ALONE = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path}`)
  .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes('vi.mock('));

/** Of all projects. */
export const usual = {
  // Limits end what hangs; no test is meant to come near them, on however slow a machine.
  testTimeout: 360_000,
  hookTimeout: 720_000,
  expect: { poll: { timeout: 60_000 } },
  pool: 'forks',
  setupFiles: ['test/support/vitest/count-cpu.ts', 'test/support/vitest/print-logs.ts'],
} satisfies UserWorkspaceConfig['test'];

/** What is built and started before all tests. Of the whole: that of a project would run once for each. */
export const globalSetup = ['build', 'tools', 'shared-postgres'].map((name) => `test/support/vitest/${name}.ts`);

/** Most tests wait for something most of the time. */
export const sideBySide = {
  // Keeps transformed modules for the next run: `npm run test:long` after `npm test`, or a second run in the same clone.
  experimental: { fsModuleCache: true },
  sequence: { sequencer: SlowFirst },
  maxWorkers: Math.max(2, Math.min(6, 3 * availableParallelism())),
} satisfies UserWorkspaceConfig['test'];

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
          exclude: [LONG, TRAINER, ...ALONE],
          isolate: false,
        },
      },
      { test: { ...usual, name: 'alone', include: ALONE, exclude: [LONG, TRAINER] } },
    ],
  },
});
