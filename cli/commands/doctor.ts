import type { Command } from 'commander';
import { CliError } from '../errors.ts';
import { printLine, printJson, type Io } from '../io.ts';
import type { Finding } from '../doctor/finding.ts';
import { configOf } from '../context.ts';
import * as tools from '../doctor/tools.ts';
import * as servers from '../doctor/servers.ts';
import * as machine from '../doctor/machine.ts';
import * as trainer from '../doctor/trainer.ts';
import * as reader from '../doctor/reader.ts';
import { checkAgents } from '../doctor/agents.ts';
import { checkMessages } from '../doctor/messages.ts';
import { checkOptimizer } from '../doctor/optimizer.ts';
import { checkProxy } from '../doctor/proxy.ts';
import { checkGpus } from '../doctor/gpus.ts';

const MARKS = { ok: '✓', note: '·', missing: '✗' } as const;

export function registerDoctor(program: Command, io: Io): void {
  program
    .command('doctor')
    .description(
      'Check what this machine has, what is missing and how to get it. Exit code 1 if something needed is missing.',
    )
    .option('--json', 'one JSON object')
    .action(async (options: { json?: boolean }) => {
      const findings = await examine(io);
      const good = findings.every((finding) => finding.status !== 'missing');
      const result = { ok: good, findings };
      if (!options.json) for (const finding of findings) print(io, finding);
      else if (good) printJson(io, result);
      if (good) return;
      const names = findings.filter((finding) => finding.status === 'missing').map((finding) => finding.name);
      throw new CliError('failed', `missing: ${names.join(', ')}`, { result });
    });
}

async function examine(io: Io): Promise<Finding[]> {
  const config = configOf(io);
  const path = config.env.PATH ?? '/usr/bin:/bin';
  const findings = await Promise.all([
    tools.checkNode(process.versions.node),
    servers.checkTemporal(config),
    tools.checkGo(path),
    servers.checkPostgres(config),
    reader.checkReader(config),
    machine.checkSandbox(),
    servers.checkUsers(config),
    machine.checkModel(config),
    machine.checkSlots(config),
    checkGpus(config),
    trainer.checkTrainer(config),
    checkAgents(config),
    tools.checkGit(path),
    machine.checkDisk(config.home),
    machine.checkStack(config.home),
    checkMessages(io),
  ]);
  return [...findings, checkOptimizer(config), checkProxy(config)];
}

function print(io: Io, { name, status, found, fix }: Finding): void {
  printLine(io, `${MARKS[status]} ${name.padEnd(9)} ${found}`);
  if (fix) printLine(io, `${' '.repeat(12)}→ ${fix}`);
}
