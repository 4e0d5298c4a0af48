import type { Command } from 'commander';
import type { Io } from '../io.ts';

export function registerNotify(program: Command, io: Io): void {
  const notify = program
    .command('notify')
    .description('Messages about what needs you, claims, ends of researches, and a daily report: where they go.');
  notify
    .command('apply <file>')
    .description('Make the sinks of a notify.yaml those that get messages: adds, changes and removes sinks.')
    .option('--json', 'one JSON object')
    .action(async (file: string, options: { json?: boolean }) =>
      (await import('../notify/apply.ts')).apply(io, file, options),
    );
  notify
    .command('list')
    .description('The sinks, what each has got, and what waits.')
    .option('--json', 'one JSON object')
    .action(async (options: { json?: boolean }) => (await import('../notify/list.ts')).list(io, options));
  notify
    .command('remove <name>')
    .description('Remove a sink, with the messages that it has not got.')
    .option('--json', 'one JSON object')
    .action(async (name: string, options: { json?: boolean }) =>
      (await import('../notify/remove.ts')).remove(io, name, options),
    );
  notify
    .command('test [name]')
    .description('Show a test message as it will be sent, send it to one sink or to all, and print the answers.')
    .option('--dry-run', 'only show it')
    .option('--json', 'one JSON object')
    .action(async (name: string | undefined, options: { dryRun?: boolean; json?: boolean }) =>
      (await import('../notify/test.ts')).test(io, name, options),
    );
}
