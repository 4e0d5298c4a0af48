import type { Command } from 'commander';
import { stopStack, type Stopped } from '../../up/stack/stop-stack.ts';
import { plural } from '../../../domain/text/plural.ts';
import { printNote, printLine, printJson, type Io } from '../../io.ts';
import { configOf } from '../../context.ts';

export function registerDown(program: Command, io: Io): void {
  program
    .command('down')
    .description(
      'Stop the stack of this home from any terminal, as Ctrl-C in its own terminal does: ' +
        'the worker finishes its short steps, runs go on, and the next start picks them up.',
    )
    .option('--now', 'also kill the workers and the runs of this machine')
    .option('--json', 'one JSON object')
    .action((options: { now?: boolean; json?: boolean }) => down(io, options));
}

async function down(io: Io, { now = false, json }: { now?: boolean; json?: boolean }): Promise<void> {
  const config = configOf(io);
  const stopped = await stopStack(config, { now, signal: io.signal, onWait: (text) => printNote(io, text) });
  if (json) return printJson(io, { home: config.home, stopped: stopped !== null, ...stopped });
  for (const line of describeStopped(stopped, config.home)) printLine(io, line);
}

/** Describes what `down` stopped. */
export function describeStopped(stopped: Stopped | null, home: string): string[] {
  if (stopped === null) return [`no stack runs in ${home}: there is nothing to stop`];
  const { pid, goingOn, killed } = stopped;
  const whose = pid === null ? ' (the leftovers of a killed `perpetua up`)' : '';
  const lines = [`stopped the stack in ${home}${whose}`];
  if (killed > 0) lines.push(`killed ${plural(killed, 'run')} on this machine`);
  if (goingOn) lines.push(`${plural(goingOn, 'run')} still under way: the next start picks up their results`);
  lines.push('start it again: npx perpetua up (or npm start)');
  return lines;
}
