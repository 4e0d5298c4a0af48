import type { Command } from 'commander';
import type { Io } from '../../io.ts';

interface Options {
  json?: boolean;
}

export function registerAgents(program: Command, io: Io): void {
  const agents = program
    .command('agents')
    .description('Coding agents that the proposer `command` runs by their recipes: which are installed.')
    .enablePositionalOptions()
    .option('--json', 'one JSON object')
    .action(async (options: Options) => (await import('../../agents/list.ts')).listAgents(io, options));
  agents
    .command('install <name>')
    .description('Install an agent if it is missing: 200 to 430 MB on disk (in PERPETUA_AGENT_CACHE).')
    .option('--json', 'one JSON object')
    .action(async (name: string, options: Options) =>
      (await import('../../agents/install.ts')).install(io, { name, ...options }),
    );
  agents
    .command('check <name>')
    .description(
      'Run an agent, or the recipe in a YAML file, once on a small edit against the model endpoint: ' +
        'does it work, and what does a call cost? ' +
        'It runs as you, without a sandbox.',
    )
    .option('-m, --model <model>', 'model to ask (default: OPENAI_MODEL, for an agent that speaks its protocol)')
    .option('--json', 'one JSON object')
    .action(async (name: string, options: Options & { model?: string }) =>
      (await import('../../agents/check.ts')).check(io, { name, ...options }),
    );
}
