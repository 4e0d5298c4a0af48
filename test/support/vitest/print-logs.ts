import { beforeEach } from 'vitest';
import { logTail } from '../../../infra/process/log-file.ts';
import { logsOfOpenStacks } from '../logs-of-open-stacks.ts';

const LINES = 40;

// The home of a stack, and its log with it, is removed after the file.
beforeEach(({ onTestFailed, task }) => {
  onTestFailed(() => {
    for (const path of logsOfOpenStacks()) console.error(`the log of ${task.name}, ${path}:\n${logTail(path, LINES)}`);
  });
});
