import { runSubjects } from '../support/e2e/run-subjects.ts';
import { badTasksTests } from './shared/bad-tasks.ts';
import { checkTests } from './shared/check.ts';
import { mcpTests } from './shared/mcp.ts';
import { messagesTests } from './shared/messages.ts';
import { ownSettingsTests } from './shared/own-settings.ts';
import { replayTests } from './shared/replay.ts';
import { startTests } from './shared/start.ts';
import { steerCommandTests } from './shared/steer-commands.ts';
import { steeringTests } from './shared/steering.ts';

// Subjects are what people do with a research. What it does by itself is in shared-stack.test.ts.
runSubjects({
  check: checkTests,
  'own-settings': ownSettingsTests,
  'bad-tasks': badTasksTests,
  steering: steeringTests,
  'steer-commands': steerCommandTests,
  messages: messagesTests,
  mcp: mcpTests,
  start: startTests,
  // Last, since it replays the histories of all others.
  replay: replayTests,
});
