import { timeLimitOf } from '../../job/time-limit.ts';
import type { Attack } from '../attack.ts';

/** Most processes that one attack starts. */
const MOST_PROCESSES = 1000;
const MUCH_MEMORY_MB = 4096;
const MUCH_DISK_MB = 2048;
const MANY_FILES = 250_000;
const LONG_SECONDS = 60;
/** Time for which an excess is held: every limit is checked at least every two seconds. */
const HELD_SECONDS = 8;

export const TOO_MANY_PROCESSES: Attack = {
  name: 'processes',
  where: 'run',
  tries: 'start twice as many processes as it may',
  unfit: ({ task }) =>
    2 * task.run.resources.processes > MOST_PROCESSES ? `run.resources.processes is above ${MOST_PROCESSES / 2}` : null,
  acts: ({ task }) => ({
    begin: `i=0
while [ $i -lt ${2 * task.run.resources.processes} ]; do sleep ${HELD_SECONDS} & i=$((i + 1)); done
wait
exit 0`,
  }),
  expected: ['too-many-processes'],
};

export const TOO_MUCH_MEMORY: Attack = {
  name: 'memory',
  where: 'run',
  tries: 'hold more memory than it may',
  heavy: ({ task }) => heavyMemory(task.run.resources.memoryMb),
  acts: ({ task }) => {
    const bytes = (task.run.resources.memoryMb + 200) * 2 ** 20;
    return {
      // tail buffers a line until its end, so it holds all bytes.
      begin: `{ head -c ${bytes} /dev/zero; sleep ${HELD_SECONDS}; } | tail >/dev/null
exit 0`,
    };
  },
  expected: ['out-of-memory'],
};

/** Cost of an attack with this much memory, if it is too much without a request; else null. */
export const heavyMemory = (mb: number): string | null => (mb > MUCH_MEMORY_MB ? `it takes ${mb} MB of memory` : null);

export const TOO_MUCH_DISK: Attack = {
  name: 'disk',
  where: 'run',
  tries: 'fill its directory with more than it may',
  heavy: ({ task }) => heavyDisk(task.run.resources.diskMb),
  acts: ({ task }) => {
    const bytes = Math.floor(task.run.resources.diskMb * 0.6 * 2 ** 20);
    return {
      begin: `for file in 1 2 3; do head -c ${bytes} /dev/zero >"full$file"; done
sleep ${HELD_SECONDS}
exit 0`,
    };
  },
  expected: ['disk-limit'],
};

/** Cost of an attack with twice this much disk, if it is too much without a request; else null. */
export const heavyDisk = (mb: number): string | null => (mb > MUCH_DISK_MB ? `it takes ${2 * mb} MB of disk` : null);

export const TOO_MANY_FILES: Attack = {
  name: 'files',
  where: 'run',
  tries: 'make more files than it may',
  heavy: ({ task }) => (task.run.resources.files > MANY_FILES ? `it makes ${task.run.resources.files} files` : null),
  acts: ({ task }) => ({
    begin: `mkdir many && cd many && seq ${task.run.resources.files + 1000} | xargs touch
sleep ${HELD_SECONDS}
exit 0`,
  }),
  expected: ['disk-limit'],
};

export const FLOOD: Attack = {
  name: 'output',
  where: 'run',
  tries: 'print without end',
  acts: () => ({ begin: 'yes perpetua-attack\nexit 0' }),
  expected: ['output-limit'],
};

export const IGNORE_TERM: Attack = {
  name: 'ignore-term',
  where: 'run',
  tries: 'ignore the signal that ends a run whose time is over',
  heavy: ({ task }) => {
    const seconds = timeLimitOf(task);
    return seconds > LONG_SECONDS ? `it runs for the whole of run.timeoutSeconds, ${seconds} s` : null;
  },
  acts: () => ({ begin: "trap '' TERM HUP INT\nwhile :; do sleep 1; done" }),
  expected: ['wall-clock'],
};

export const KILL_ITSELF: Attack = {
  name: 'kill-itself',
  where: 'run',
  tries: 'kill its own program, as a machine without memory would',
  acts: () => ({ begin: 'kill -KILL $PPID\nsleep 5\nexit 1' }),
  expected: ['signal', 'exit-code'],
};

export const EXIT_137: Attack = {
  name: 'exit-137',
  where: 'run',
  tries: 'exit with the code of a killed program, to get another run',
  acts: () => ({ begin: 'exit 137' }),
  expected: ['signal', 'exit-code'],
};
