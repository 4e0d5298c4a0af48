import type { Command } from 'commander';
import type { Io } from '../io.ts';

interface Options {
  json?: boolean;
}

export function registerPolicy(program: Command, io: Io): void {
  const policy = program
    .command('policy')
    .description('Versions of a policy that learns: update k makes version k; the policy begins with version 0.');
  registerReads(policy, io);
  registerSteering(policy, io);
  registerEval(policy, io);
  policy
    .command('export <research> <version>')
    .description('Copy the weights of a version into an empty or new folder, in a form that other tools load.')
    .requiredOption('-o, --out <dir>', 'the folder')
    .option('--json', 'one JSON object')
    .action(async (id: string, version: string, options: Options & { out: string }) =>
      (await import('../policy/export.ts')).exportVersion(io, { id, version, ...options }),
    );
}

function registerReads(policy: Command, io: Io): void {
  policy
    .command('list [research]')
    .description('Every update with the version that it made, and how full the next batch is.')
    .option('--json', 'one JSON object')
    .action(async (id: string | undefined, options: Options) =>
      (await import('../policy/list.ts')).list(io, { id, ...options }),
    );
  policy
    .command('show <research> <version>')
    .description('One version: its parent, its batch, the numbers of its update, and the trials that it proposed.')
    .option('--json', 'one JSON object')
    .action(async (id: string, version: string, options: Options) =>
      (await import('../policy/show.ts')).show(io, { id, version, ...options }),
    );
  policy
    .command('compare <research> <versions...>')
    .description('Two versions side by side: their metrics, and the rewards of their samples.')
    .option('--json', 'one JSON object')
    .action(async (id: string, versions: string[], options: Options) =>
      (await import('../policy/compare.ts')).compare(io, { id, versions, ...options }),
    );
}

function registerEval(policy: Command, io: Io): void {
  policy
    .command('eval <research> <version>')
    .description(
      'Evaluate a version with runs of its own, from which nothing is learnt: mean value, mean reward and share of ' +
        'readable answers, with intervals. With the same options and seed root it continues, or prints the result ' +
        'again.',
    )
    .requiredOption('--samples <n>', 'answers to draw; each of them runs')
    .option('--task <task>', "another task, by its name or folder (default: the research's)")
    .option('--seed <root>', 'root of the seeds (default: a new one)')
    .option('--json', 'one JSON object')
    .action(async (id: string, version: string, options: Options & { samples: string; task?: string; seed?: string }) =>
      (await import('../policy/eval.ts')).evaluate(io, { id, version, ...options }),
    );
}

function registerSteering(policy: Command, io: Io): void {
  const because = ['--because <text>', 'reason, stored in the events'] as const;
  policy
    .command('pin <research> [version]')
    .description('Keep a version in force and learn nothing; --off ends that.')
    .option('--off', 'learn again, from the version in force')
    .option(...because)
    .option('--json', 'one JSON object')
    .action(async (id: string, version: string | undefined, options: Options & { off?: boolean; because?: string }) =>
      (await import('../policy/steer.ts')).pin(io, { id, version, ...options }),
    );
  policy
    .command('rollback <research> <version>')
    .description('Put a version in force and learn on from it. This also ends a halt by a gate.')
    .option(...because)
    .option('--json', 'one JSON object')
    .action(async (id: string, version: string, options: Options & { because?: string }) =>
      (await import('../policy/steer.ts')).rollback(io, { id, version, ...options }),
    );
}
