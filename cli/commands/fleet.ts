import type { Command } from 'commander';
import { CliError, refused } from '../errors.ts';
import type { CleanOptions } from '../fleet/clean.ts';
import { inParallel } from '../in-parallel.ts';
import { note, say, sayJson, type Io } from '../io.ts';

interface Options {
  file: string;
  json?: boolean;
}

export function registerFleet(program: Command, io: Io): void {
  const fleet = program
    .command('fleet')
    .enablePositionalOptions()
    .description('Machines that are reached by SSH: what they are, what runs there, how they do.')
    .option('--json', 'one JSON object')
    .action(async (options: { json?: boolean }) => (await import('../fleet/status.ts')).status(io, options));
  fleet
    .command('apply')
    .description('Make fleet.yaml the fleet: adds, changes and removes hosts while everything runs.')
    .option('-f, --file <file>', 'the fleet', 'fleet.yaml')
    .option('--json', 'one JSON object')
    .showHelpAfterError('Another file than fleet.yaml is named with --file FILE.')
    .action(async (options: Options) => (await import('../fleet/apply.ts')).apply(io, options));
  for (const [name, drain, words] of [
    ['drain', true, 'Let what runs on these hosts finish, and place nothing there.'],
    ['resume', false, 'Place trials on drained hosts again.'],
  ] as const)
    fleet
      .command(`${name} <hosts...>`)
      .description(words)
      .option('--json', 'one JSON object')
      .action(async (hosts: string[], options: { json?: boolean }) =>
        (await import('../fleet/drain.ts')).drain(io, hosts, { ...options, drain }),
      );
  fleet
    .command('clean [hosts...]')
    .description(
      'Remove run directories on the hosts of the fleet that no trial needs any more, with what still runs there, and workspaces beyond cacheGb (--dry-run shows them).',
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
    .option('--json', 'one JSON object a host, as each is done')
    .action((hosts: string[], options: Options) => check(io, hosts, options));
}

const isYaml = (word: string): boolean => /\.ya?ml$/.test(word);

async function check(io: Io, names: string[], { file, json }: Options): Promise<void> {
  const [{ readFleet }, { checkHost }, { twinNotes }, { mixedNotes }, { renderFleetCheck }, { configOf }] =
    await Promise.all([
      import('../fleet/read-fleet.ts'),
      import('../fleet/check-host.ts'),
      import('../fleet/twins.ts'),
      import('../fleet/mixed.ts'),
      import('../render/fleet.ts'),
      import('../context.ts'),
    ]);
  const { hosts, pools } = await readFleet(file);
  const unknown = names.filter((name) => !hosts.some((host) => host.name === name));
  if (unknown.length > 0) {
    const another = unknown.find(isYaml);
    throw refused(
      `Expected hosts of ${file} (${hosts.map(({ name }) => name).join(', ')}), came ${unknown.join(', ')}.` +
        (another === undefined ? '' : ` Another file is named with --file ${another}.`),
    );
  }
  const wanted = hosts.filter(({ name }) => names.length === 0 || names.includes(name));
  // A name of its own: what it leaves behind, if it dies, is no installation's.
  const caller = { installation: 'fleet-check', sshAgent: (await configOf(io)).sshAgent };
  const notes = [twinNotes(), mixedNotes()];
  const checks = await inParallel(wanted, async (host) => {
    const pool = pools[host.pool];
    if (!pool) throw new Error(`the pool ${host.pool} of ${host.name} is not there`); // readFleet has seen to it
    const done = await checkHost(host, pool, caller);
    for (const addTo of notes) addTo(done);
    if (json) sayJson(io, done);
    else note(io, `${done.host}: ${done.ok ? 'works' : 'does not work'}`);
    return done;
  });
  if (!json) for (const line of renderFleetCheck(checks)) say(io, line);
  const failed = checks.filter(({ ok }) => !ok).map(({ host }) => host);
  if (failed.length > 0) throw new CliError('failed', `These hosts cannot run trials now: ${failed.join(', ')}.`);
}
