import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config';
import { SlowFirst } from './test/support/vitest/slow-first.ts';

/**
 * Long tests whose result seldom changes, run by `npm run test:long`: simulations, measurements of growth, a random
 * campaign, matrices of kills.
 */
export const LONG = 'test/**/*.long.test.ts';
/** Tests that need the trainer's Python environment, run by `npm run test:trainer`. */
export const TRAINER = 'test/**/*.trainer.test.ts';
/** Tests of real coding agents, run by `npm run test:agents`, which installs them. */
export const AGENTS = 'test/**/*.agents.test.ts';
/**
 * Tests that replace a module. Each has its own process, since another test may have loaded the module. All others
 * share.
 */
export const ALONE = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path}`)
  .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes('vi.mock('));

/** Options of all projects. */
export const usual = {
  // The limits end tests that hang. No other test should come near them, even on a slow machine.
  testTimeout: 360_000,
  hookTimeout: 720_000,
  expect: { poll: { timeout: 60_000 } },
  pool: 'forks',
  setupFiles: ['test/support/vitest/count-cpu.ts', 'test/support/vitest/print-logs.ts'],
} satisfies UserWorkspaceConfig['test'];

/** Setup before all tests. An option of the whole run: as an option of projects it would run once for each project. */
export const globalSetup = ['build', 'tools', 'shared-postgres'].map((name) => `test/support/vitest/${name}.ts`);

/** Memory in bytes that a worker of vitest takes with the stack that it starts. */
const WORKER_BYTES = 1.5 * 2 ** 30;
/** Processes that run test files: more than cores, since tests mostly wait. Each loads modules for ten CPU seconds. */
const workers = Math.min(9, 5 * availableParallelism(), Math.floor(totalmem() / WORKER_BYTES));

/** Options for tests in parallel. */
export const sideBySide = {
  // Keeps transformed modules for the next run in this clone, such as `npm run test:long` after `npm test`.
  experimental: { fsModuleCache: true },
  sequence: { sequencer: SlowFirst },
  maxWorkers: Math.max(2, workers),
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
          exclude: [LONG, TRAINER, AGENTS, ...ALONE],
          isolate: false,
        },
      },
      { test: { ...usual, name: 'alone', include: ALONE, exclude: [LONG, TRAINER, AGENTS] } },
    ],
  },
});
