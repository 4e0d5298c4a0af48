import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SEARCH_ATTRIBUTES } from '../search-attributes.ts';

const DYNAMIC_CONFIG = {
  // The one shard polls its queues 20 times a second by default: 466 ms a trial instead of 76.
  'history.transferProcessorMaxPollRPS': 1000,
  'history.timerProcessorMaxPollRPS': 1000,
  'history.visibilityProcessorMaxPollRPS': 1000,
  // Priority and fairness between tasks that wait for the same slots.
  'matching.useNewMatcher': true,
  'matching.enableFairness': true,
  // Order holds within a partition; all are still read, so what an older server put elsewhere is not lost.
  'matching.numTaskqueueWritePartitions': 1,
  // An admission comes with the answer that asked for it.
  'system.enableActivityEagerExecution': true,
  'frontend.enableServerVersionCheck': false,
};
// Committed is on disk, also when the power goes.
const PRAGMAS = ['journal_mode=wal', 'synchronous=2'];

/** Arguments of `temporal` for a server on 127.0.0.1; ports and file are its presets, since all users read command lines. */
export async function serverArguments(server: { cli: string; namespace: string }): Promise<string[]> {
  const { stdout: help } = await promisify(execFile)(server.cli, ['server', 'start-dev', '--help'], {
    env: { HOME: '/nonexistent' },
  });
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--log-format', 'json', '--log-level', 'warn'],
    ...['--namespace', server.namespace],
    ...PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => ['--dynamic-config-value', `${key}=${value}`]),
    // Taken only when the namespace is made: usable from the first moment on.
    ...Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
    // Newer than some binaries that are still about.
    ...['--ui-disable-news-fetch'].filter((flag) => help.includes(flag)),
    ...['--disable-config-env', '--disable-config-file'].filter((flag) => help.includes(flag)),
  ];
}
