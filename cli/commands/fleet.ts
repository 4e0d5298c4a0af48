import type { Command } from 'commander';
import type { CheckOptions } from '../fleet/check.ts';
import type { CleanOptions } from '../fleet/clean.ts';
import type { Io } from '../io.ts';

export function registerFleet(program: Command, io: Io): void {
  const fleet = program
    .command('fleet')
    .enablePositionalOptions()
    .description('Show the machines that are reached by SSH: their state, their slots and the trials on them.')
    .option('--json', 'one JSON object')
    .action(async (options: { json?: boolean }) => (await import('../fleet/status.ts')).printFleetStatus(io, options));
  fleet
    .command('apply')
    .description('Make fleet.yaml the fleet: adds, changes and removes hosts while everything runs.')
    .option('-f, --file <file>', 'the fleet', 'fleet.yaml')
    .option('--json', 'one JSON object')
    .showHelpAfterError('To use another file than fleet.yaml: --file FILE.')
    .action(async (options: CheckOptions) => (await import('../fleet/apply.ts')).apply(io, options));
  for (const [name, drain, description] of [
    ['drain', true, 'Let the runs on these hosts finish, and place no new ones there.'],
    ['resume', false, 'Place trials on drained hosts again.'],
  ] as const)
    fleet
      .command(`${name} <hosts...>`)
      .description(description)
      .option('--json', 'one JSON object')
      .action(async (hosts: string[], options: { json?: boolean }) =>
        (await import('../fleet/drain.ts')).drain(io, hosts, { ...options, drain }),
      );
  fleet
    .command('clean [hosts...]')
    .description(
      'Remove from the hosts of the fleet: run directories that no trial needs any more, ' +
        'with runs that still use them, and workspaces beyond cacheGb (--dry-run shows them).',
    )
    .option('--dry-run', 'only say what would be removed')
    .option('--older-than <hours>', 'nothing younger is touched', '1')
    .option('--keep <n>', 'run directories of the last n trials of each research stay', '20')
    .option('--json', 'one JSON object a host')
    .action(async (hosts: string[], options: CleanOptions) =>
      (await import('../fleet/clean.ts')).cleanFleet(io, hosts, options),
    );
  fleet
    .command('check [hosts...]')
    .description(
      'Try each host of a fleet end to end: login, scratch folder, tools, GPUs, sandbox, clock, a small run.',
    )
    .option('-f, --file <file>', 'the fleet', 'fleet.yaml')
    .option('--json', 'one JSON object for each host, once it is checked')
    .action(async (hosts: string[], options: CheckOptions) =>
      (await import('../fleet/check.ts')).checkFleet(io, hosts, options),
    );
}
