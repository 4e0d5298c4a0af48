import type { Config } from '../../config/load.ts';
import type { OnEvent } from './events.ts';
import type { Interrupts } from './interrupts.ts';
import { killRuns, readLivingRuns } from './kill-runs.ts';
import type { Stack } from './stack.ts';

/**
 * Stops the stack in order and says what goes on. A second Ctrl-C meanwhile kills the workers at once and the runs, too;
 * returns whether it came.
 */
export async function endStack(
  { config, stack, onEvent }: { config: Config; stack: Stack; onEvent: OnEvent },
  interrupts: Interrupts,
): Promise<boolean> {
  const tell = (text: string) => onEvent({ type: 'step', part: 'stack', text });
  const { databaseUrl } = stack.addresses();
  // Read now: at the second Ctrl-C Postgres may be gone.
  const known = await readLivingRuns(databaseUrl, config.home).catch(() => null);
  const going = (known?.runs.length ?? 0) + (known?.elsewhere ?? 0);
  tell(
    `stopping: the worker finishes what is short${going > 0 ? `, ${going} run(s) go on by themselves` : ''}. Ctrl-C again kills everything`,
  );
  let killing: Promise<void> | undefined;
  const kill = async () => {
    const living = (await readLivingRuns(databaseUrl, config.home).catch(() => null)) ?? known;
    await stack.hurry();
    const killed = living ? await killRuns(config, living) : 0;
    const left = living?.elsewhere ?? 0;
    tell(`killed ${killed} run(s)${left > 0 ? `; ${left} on other hosts go on` : ''}`);
  };
  const onSecond = () => void (killing = kill());
  interrupts.second.addEventListener('abort', onSecond, { once: true });
  if (interrupts.second.aborted) onSecond();
  await stack.stop();
  await killing;
  interrupts.second.removeEventListener('abort', onSecond);
  tell(going > 0 && !killing ? `stopped; ${going} run(s) go on and are picked up by the next start` : 'stopped');
  return killing !== undefined;
}
