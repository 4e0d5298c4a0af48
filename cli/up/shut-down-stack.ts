import type { Config } from '../../config/load.ts';
import { plural } from '../../domain/text/plural.ts';
import type { OnEvent } from './events.ts';
import type { Interrupts } from './interrupts.ts';
import { killRuns, readLivingRuns } from './kill-runs.ts';
import type { Stack } from './stack.ts';

/**
 * Stops the stack in order and says what goes on. A second Ctrl-C meanwhile kills the workers at once and the runs, too;
 * returns whether it came.
 */
export async function shutDownStack(
  { config, stack, onEvent }: { config: Config; stack: Stack; onEvent: OnEvent },
  interrupts: Interrupts,
): Promise<boolean> {
  const tell = (text: string) => onEvent({ type: 'step', part: 'stack', text });
  const { databaseUrl } = stack.addresses();
  // Read now: at the second Ctrl-C Postgres may be gone.
  const known = await readLivingRuns(databaseUrl, config.home).catch(() => null);
  const going = (known?.runs.length ?? 0) + (known?.elsewhere ?? 0);
  tell(
    `stopping the stack. The worker finishes what is short. ${going > 0 ? `${goOnByThemselves(going)} ` : ''}Ctrl-C again kills the worker and the runs of this machine`,
  );
  let killing: Promise<void> | undefined;
  const kill = async () => {
    const living = (await readLivingRuns(databaseUrl, config.home).catch(() => null)) ?? known;
    await stack.killWorkers();
    const killed = living ? await killRuns(config, living) : 0;
    const left = living?.elsewhere ?? 0;
    tell(
      `killed ${plural(killed, 'run')} on this machine${left > 0 ? `. ${plural(left, 'run')} on other hosts ${left === 1 ? 'goes' : 'go'} on` : ''}`,
    );
  };
  const onSecond = () => void (killing = kill());
  interrupts.second.addEventListener('abort', onSecond, { once: true });
  if (interrupts.second.aborted) onSecond();
  await stack.stop();
  await killing;
  interrupts.second.removeEventListener('abort', onSecond);
  tell(
    going > 0 && !killing
      ? `stopped. ${goOnByThemselves(going)} The next start picks up what became of them`
      : 'stopped',
  );
  return killing !== undefined;
}

const goOnByThemselves = (runs: number): string =>
  `${plural(runs, 'run')} ${runs === 1 ? 'goes' : 'go'} on by ${runs === 1 ? 'itself' : 'themselves'}.`;
