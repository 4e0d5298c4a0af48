import { afterAll, beforeAll, describe } from 'vitest';
import { artefactCodeTests } from './shared/artefact-code.ts';
import { badTasksTests } from './shared/bad-tasks.ts';
import { checkTests } from './shared/check.ts';
import { exactClaimsTests } from './shared/exact-claims.ts';
import { knobsTests } from './shared/knobs.ts';
import { loopTests } from './shared/loop.ts';
import { mcpTests } from './shared/mcp.ts';
import { ownSettingsTests } from './shared/own-settings.ts';
import { presetsTests } from './shared/presets.ts';
import { replayTests } from './shared/replay.ts';
import { seedsTests } from './shared/seeds.ts';
import { startTests } from './shared/start.ts';
import { storeFailuresTests } from './shared/store-failures.ts';
import { steeringTests } from './shared/steering.ts';
import { unknownMethodTests } from './shared/unknown-method.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

/** Subjects that kill no process and need no worker of their own: one stack serves them all, one after the other. */
const SUBJECTS: Record<string, (shared: () => TestStack) => void> = {
  check: checkTests,
  'own-settings': ownSettingsTests,
  knobs: knobsTests,
  seeds: seedsTests,
  loop: loopTests,
  'unknown-method': unknownMethodTests,
  'bad-tasks': badTasksTests,
  'artefact-code': artefactCodeTests,
  'exact-claims': exactClaimsTests,
  steering: steeringTests,
  mcp: mcpTests,
  start: startTests,
  presets: presetsTests,
  'store-failures': storeFailuresTests,
  // Last, since it replays the histories of all others.
  replay: replayTests,
};

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
  await stack.startWorker({ slots: 4 });
});
afterAll(() => stack.stop());

for (const [subject, tests] of Object.entries(SUBJECTS)) describe(subject, () => tests(() => stack));
