import type { Config } from '../../config/load.ts';
import { plural } from '../../domain/text/plural.ts';
import type { OnEvent } from './events.ts';
import type { Interrupts } from './interrupts.ts';
import { killRuns, readLivingRuns } from './kill-runs.ts';
import type { Stack } from './stack.ts';

/**
 * Stops the stack in order and reports what continues. A second Ctrl-C meanwhile kills the workers and the runs of this
 * machine at once. Returns true if it came.
 */
export async function shutDownStack(
  { config, stack, onEvent }: { config: Config; stack: Stack; onEvent: OnEvent },
  interrupts: Interrupts,
): Promise<boolean> {
  const report = (text: string) => onEvent({ type: 'step', part: 'stack', text });
  const { databaseUrl } = stack.addresses();
  // Read before the stop: at the second Ctrl-C, Postgres may be gone.
  const before = await readLivingRuns(databaseUrl, config.home).catch(() => null);
  const continuing = (before?.runs.length ?? 0) + (before?.elsewhere ?? 0);
  const runsNote = continuing > 0 ? `${goOnByThemselves(continuing)} ` : '';
  report(
    `stopping the stack. The worker finishes its short steps. ${runsNote}` +
      'Ctrl-C again kills the worker and the runs of this machine',
  );
  let killing: Promise<void> | undefined;
  const kill = async () => {
    const living = (await readLivingRuns(databaseUrl, config.home).catch(() => null)) ?? before;
    await stack.killWorkers();
    const killed = living ? await killRuns(config, living) : 0;
    const others = living?.elsewhere ?? 0;
    const rest = others > 0 ? `. ${plural(others, 'run')} on other hosts ${others === 1 ? 'goes' : 'go'} on` : '';
    report(`killed ${plural(killed, 'run')} on this machine${rest}`);
  };
  const onSecond = () => void (killing = kill());
  interrupts.second.addEventListener('abort', onSecond, { once: true });
  if (interrupts.second.aborted) onSecond();
  await stack.stop();
  await killing;
  interrupts.second.removeEventListener('abort', onSecond);
  report(
    continuing > 0 && !killing
      ? `stopped. ${goOnByThemselves(continuing)} The next start picks up their results`
      : 'stopped',
  );
  return killing !== undefined;
}

const goOnByThemselves = (runs: number): string =>
  `${plural(runs, 'run')} ${runs === 1 ? 'goes' : 'go'} on by ${runs === 1 ? 'itself' : 'themselves'}.`;
