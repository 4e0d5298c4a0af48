import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SEARCH_ATTRIBUTES } from '../search-attributes.ts';

const DYNAMIC_CONFIG = {
  // By default, the single shard polls its queues 20 times a second, which costs 466 ms a trial instead of 76.
  'history.transferProcessorMaxPollRPS': 1000,
  'history.timerProcessorMaxPollRPS': 1000,
  'history.visibilityProcessorMaxPollRPS': 1000,
  // Priorities and fairness between tasks that wait for the same slots.
  'matching.useNewMatcher': true,
  'matching.enableFairness': true,
  // Tasks are ordered only within a partition. All partitions are read, so tasks of an older server are not lost.
  'matching.numTaskqueueWritePartitions': 1,
  // Starts an admission with the response to the workflow task that requested it.
  'system.enableActivityEagerExecution': true,
  'frontend.enableServerVersionCheck': false,
};
// Commits reach the disk, so that they survive a power cut.
const PRAGMAS = ['journal_mode=wal', 'synchronous=2'];

/** Flags that some older binaries lack. */
const OPTIONAL_FLAGS = ['--ui-disable-news-fetch', '--disable-config-env', '--disable-config-file'];

/** Arguments of `temporal` for a server on 127.0.0.1. All users read command lines, so presets have ports and file. */
export async function serverArguments(server: { cli: string; namespace: string }): Promise<string[]> {
  const { stdout: help } = await promisify(execFile)(server.cli, ['server', 'start-dev', '--help'], {
    env: { HOME: '/nonexistent' },
  });
  return [
    'server',
    'start-dev',
    '--ip',
    '127.0.0.1',
    '--log-format',
    'json',
    '--log-level',
    'warn',
    '--namespace',
    server.namespace,
    ...PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${value}`]),
    // Effective only when the namespace is created: usable at once.
    ...Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    ...OPTIONAL_FLAGS.filter((flag) => help.includes(flag)),
  ];
}
